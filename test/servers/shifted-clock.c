/*
 * Loaded into a server by LD_PRELOAD: shifts the clock that the server reads by the milliseconds in the first 8 bytes
 * of the file $SHIFTED_CLOCK. Like the system's clock, it can be set while the server runs. The monotonic clock stays
 * as it is, and times until which the server waits are converted, because the kernel does not know this clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long long zero = 0;
static const volatile long long *shift = &zero;

__attribute__((constructor)) static void open_shift(void) {
  const char *path = getenv("SHIFTED_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *memory = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(long long), PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) shift = memory;
}

static void add(struct timespec *at, long long ms) {
  long long ns = at->tv_nsec + ms % 1000 * 1000000;
  at->tv_sec += ms / 1000 + (ns >= 1000000000) - (ns < 0);
  at->tv_nsec = (ns + 1000000000) % 1000000000;
}

int clock_gettime(clockid_t id, struct timespec *at) {
  long result = syscall(SYS_clock_gettime, id, at);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) add(at, *shift);
  return (int)result;
}

int gettimeofday(struct timeval *at, void *zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

/* A monotonic time is far below: it starts at the boot of the machine. */
static int is_real(const struct timespec *until) { return until->tv_sec > 1000000000; }

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  static int (*original)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!original) original = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!original) original = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec real = *until;
  if (is_real(until)) add(&real, -*shift);
  return original(condition, mutex, &real);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t id,
                           const struct timespec *until) {
  static int (*original)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  if (!original) original = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  struct timespec real = *until;
  if (id == CLOCK_REALTIME) add(&real, -*shift);
  return original(condition, mutex, id, &real);
}

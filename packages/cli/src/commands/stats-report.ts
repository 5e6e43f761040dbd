import type { JobCount } from '@tablequeue/typeorm';
import type { DatabaseStats, StoredSchedule } from '@tablequeue/typeorm/internal';

import type { Output } from '../terminal/output.js';
import { renderTable } from '../terminal/table.js';
import { spanOf, timeOf } from '../terminal/words.js';

/** Formats the statistics as lines of text. */
export function renderStats(database: string, stats: DatabaseStats, output: Output): string[] {
  const heading = (text: string) => output.style('bold', text);
  return [
    `${heading(database)}  ${timeOf(stats.takenAt)}`,
    '',
    ...queueLines(stats, heading),
    '',
    ...workerLines(stats, heading, output),
    '',
    ...scheduleLines(stats, heading),
  ];
}

function queueLines({ queues, failedWithin }: DatabaseStats, heading: (text: string) => string): string[] {
  if (queues.length === 0) {
    return ['No queue has jobs.'];
  }
  const [titles = '', ...lines] = renderTable(
    [
      { title: 'queue' },
      ...['waiting', 'scheduled', 'ready', 'oldest ready', 'running', `failed in ${spanOf(failedWithin)}`].map(
        (title) => {
          return { title, isNumber: true };
        },
      ),
      { title: '' },
    ],
    queues.map(({ queue, counts, oldestReadyAge, failed, pausedAt }) => [
      queue,
      numberOf(counts.waiting),
      numberOf(counts.scheduled),
      numberOf(counts.ready),
      oldestReadyAge === undefined ? '' : spanOf(oldestReadyAge),
      numberOf(counts.running),
      String(failed),
      pausedAt === undefined ? '' : `paused since ${timeOf(pausedAt)}`,
    ]),
  );
  return [heading(titles), ...lines];
}

function workerLines({ workers, takenAt }: DatabaseStats, heading: (text: string) => string, output: Output): string[] {
  if (workers.length === 0) {
    return ['No worker is registered.'];
  }
  const [titles = '', ...lines] = renderTable(
    [
      { title: 'worker', isNumber: true },
      { title: 'host' },
      { title: 'pid', isNumber: true },
      { title: 'up', isNumber: true },
      { title: 'lease' },
      { title: 'queues' },
    ],
    workers.map(({ id, host, pid, startedAt, leaseLeft, queues }) => [
      String(id),
      host,
      String(pid),
      spanOf(takenAt - startedAt),
      leaseLeft > 0 ? spanOf(leaseLeft) : 'ended',
      queues.join(', '),
    ]),
  );
  const styled = lines.map((line, index) => ((workers[index]?.leaseLeft ?? 0) > 0 ? line : output.style('red', line)));
  return [heading(titles), ...styled];
}

function scheduleLines({ schedules }: DatabaseStats, heading: (text: string) => string): string[] {
  if (schedules.length === 0) {
    return ['There are no schedules.'];
  }
  const [titles = '', ...lines] = renderTable(
    ['schedule', 'job', 'queue', 'rule', 'next', 'last'].map((title) => ({ title })),
    schedules.map((schedule) => [
      schedule.name,
      schedule.jobName,
      schedule.queue,
      ruleOf(schedule),
      schedule.pausedAt === null ? timeOrNone(schedule.nextFireAt) : `paused since ${timeOf(schedule.pausedAt)}`,
      timeOrNone(schedule.lastFireAt),
    ]),
  );
  return [heading(titles), ...lines];
}

function ruleOf({ cron, every, timeZone }: StoredSchedule): string {
  return cron === null ? `every ${spanOf(every ?? 0)}` : `${cron} ${timeZone}`;
}

function timeOrNone(time: number | null): string {
  return time === null ? 'none' : timeOf(time);
}

function numberOf({ count, isCapped }: JobCount): string {
  return isCapped ? `${count}+` : String(count);
}

/** Returns the statistics for `--json`: times in ISO 8601, durations in ms. Payloads of schedules are left out. */
export function statsAsJson(stats: DatabaseStats): object {
  const { takenAt, failed, failedWithin, queues, workers, schedules } = stats;
  return {
    takenAt: new Date(takenAt),
    failed: { ...failed, withinMs: failedWithin },
    queues: queues.map(({ queue, counts, oldestReadyAge, failed: ofQueue, pausedAt }) => ({
      queue,
      ...counts,
      oldestReadyMs: oldestReadyAge ?? null,
      failed: ofQueue,
      pausedAt: pausedAt === undefined ? null : new Date(pausedAt),
    })),
    workers: workers.map(({ id, host, pid, version, codeVersion, state, queues, weights, startedAt, leaseLeft }) => ({
      id,
      host,
      pid,
      version,
      codeVersion: codeVersion ?? null,
      state,
      queues,
      weights,
      startedAt: new Date(startedAt),
      leaseLeftMs: leaseLeft,
      isAlive: leaseLeft > 0,
    })),
    schedules: schedules.map(({ name, jobName, queue, cron, timeZone, every, pausedAt, nextFireAt, lastFireAt }) => ({
      name,
      job: jobName,
      queue,
      cron,
      timeZone: cron === null ? null : timeZone,
      everyMs: every,
      pausedAt: dateOrNull(pausedAt),
      nextFireAt: dateOrNull(nextFireAt),
      lastFireAt: dateOrNull(lastFireAt),
    })),
  };
}

function dateOrNull(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}

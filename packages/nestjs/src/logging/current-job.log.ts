import { AsyncLocalStorage } from 'node:async_hooks';

import type { JobLog } from '@tablequeue/typeorm';

/** The log of the job whose handler runs. */
const storage = new AsyncLocalStorage<JobLog>();
let isUsed = false;

/** A logger asks for the current job. Without one, handlers run outside the storage: it would slow down each promise. */
export function useCurrentJobLog(): () => JobLog | undefined {
  isUsed = true;
  return () => storage.getStore();
}

/**
 * Calls a handler as the current job.
 *
 * @param job its job; undefined for the jobs of a batch handler, because a line would be about all of them.
 */
export function callAsCurrentJob<T>(job: { readonly log: JobLog } | undefined, call: () => T): T {
  return isUsed && job !== undefined ? storage.run(logOnUse(job), call) : call();
}

/** Opens the log of the job at its first line, so that a job that logs nothing pays for nothing. */
function logOnUse(job: { readonly log: JobLog }): JobLog {
  return {
    debug: (...args) => job.log.debug(...args),
    info: (...args) => job.log.info(...args),
    warn: (...args) => job.log.warn(...args),
    error: (...args) => job.log.error(...args),
  };
}

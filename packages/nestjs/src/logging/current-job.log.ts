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

/** Whether a logger asks for the current job. */
export function isCurrentJobUsed(): boolean {
  return isUsed;
}

/** Calls a handler as the current job. */
export function callAsCurrentJob<T>(job: { readonly log: JobLog }, call: () => T): T {
  return storage.run(logOnUse(job), call);
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

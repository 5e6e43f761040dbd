import type { JobSummary } from '@tablequeue/typeorm';

import type { JobRow } from '../../contract/index.js';

/** Converts a job to the form in lists. */
export function toJobRow(job: JobSummary): JobRow {
  return {
    id: job.id,
    queue: job.queue,
    name: job.name,
    state: job.state,
    key: job.key ?? null,
    tenant: job.tenant ?? null,
    priority: job.priority,
    attempt: job.attempt,
    failures: job.failures,
    createdAt: job.createdAt.getTime(),
    runAt: job.runAt.getTime(),
    expiresAt: job.expiresAt?.getTime() ?? null,
    startedAt: job.claimedAt?.getTime() ?? null,
    finishedAt: job.finishedAt?.getTime() ?? null,
    error: job.error?.split('\n', 1)[0] ?? null,
    progress: typeof job.progress === 'number' && job.progress >= 0 && job.progress <= 1 ? job.progress : null,
  };
}

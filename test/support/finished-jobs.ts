import { type JobDefinition, type Outcome } from '@tablequeue/typeorm';

import type { Workbench } from './workbench.js';

/**
 * Finished jobs, as if they had been run.
 *
 * @param traces whether each has left something beside its row: a key, and attempts that have failed.
 * @returns their ids, oldest first.
 */
export async function finishedJobs(
  { queue, dataSource, clock }: Workbench,
  definition: JobDefinition<void>,
  count: number,
  state: Outcome,
  traces = true,
): Promise<string[]> {
  const jobs = await queue.enqueueMany(
    definition,
    Array.from({ length: count }, (_, index) => ({
      delay: '1h' as const,
      ...(traces ? { key: `${state}:${index}` } : {}),
    })),
  );
  const now = Date.now() + clock.shift;
  await dataSource.query(
    `UPDATE tq_job SET state = ?, owner = 7, attempt = ?, failures = 3, last_error = ?, position = ?, finished_at = ?
     WHERE state = 'scheduled'`,
    [state, traces ? 3 : 1, state === 'failed' ? 'Error: failed' : null, now, now],
  );
  return jobs.map(({ id }) => id);
}

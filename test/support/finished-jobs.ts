import { type JobDefinition, type Outcome } from '@tablequeue/typeorm';

import type { Workbench } from './workbench.js';

/**
 * Jobs in the history, as if they had been run.
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
    `INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, priority, attempt, failures, error,
                             created_at, run_at, finished_at)
     SELECT id, queue, ?, 7, name, job_key, payload, priority, ?, 3, ?, created_at, run_at, ? FROM tq_job`,
    [state, traces ? 3 : 1, state === 'failed' ? 'Error: failed' : null, now],
  );
  if (state === 'failed') {
    await dataSource.query(
      `INSERT INTO tq_failure (job_id, queue, finished_at)
       SELECT id, queue, finished_at FROM tq_history WHERE state = 'failed' AND finished_at = ?`,
      [now],
    );
  }
  await dataSource.query('DELETE FROM tq_job');
  return jobs.map(({ id }) => id);
}

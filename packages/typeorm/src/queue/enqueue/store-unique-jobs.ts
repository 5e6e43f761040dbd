import { uuidFromBytes } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import type { TransactionHandle } from '../../engine/transaction-handle.js';
import { type StoredJob, findDuplicates, insertUniqueJobs } from '../../store/enqueue/insert-unique-jobs.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import type { EnqueuedJob } from './enqueued-job.js';

/**
 * Stores jobs of one queue, some of them with a unique key. Each call has a transaction of its own, or is part of the
 * caller's: calls that shared one would wait for one another's keys.
 */
export async function storeUniqueJobs(
  engine: Engine,
  jobs: readonly NewJob[],
  handle: TransactionHandle | undefined,
): Promise<EnqueuedJob[]> {
  const purpose = 'enqueue unique jobs';
  let stored: readonly StoredJob[];
  if (handle) {
    stored = await engine.executeOn(handle, (dialect) => insertUniqueJobs(dialect, jobs), purpose);
  } else {
    stored =
      (await executeRead(engine, purpose, (dialect) => findDuplicates(dialect, jobs))) ??
      (await engine.execute((dialect, again) => insertUniqueJobs(dialect, jobs, again), { purpose, atomic: true }));
  }
  return stored.map(({ id, created, replaced }) => ({ id: uuidFromBytes(id), created, replaced }));
}

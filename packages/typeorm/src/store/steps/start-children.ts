import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type NewGroup, insertGroups } from '../base/jobs/insert-groups.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { lockOneRunning } from '../base/locks/lock-running.js';
import type { WaitRow } from '../base/steps/step-row.js';
import { upsertWaits } from '../base/steps/upsert-waits.js';

/** Children to start, with the wait of their parent. */
export interface NewChildren {
  /** The open wait of the parent: it awaits the set, and needs an outcome of each child. */
  readonly wait: WaitRow;
  readonly set: NewGroup;
  readonly jobs: readonly NewJob[];
}

/**
 * Stores children as a group, with the wait of their parent. Part of a transaction.
 *
 * Index: the primary keys. Locks: the parent's row under the fence, then the new rows. If the process dies before the
 * commit, nothing has happened, and the next attempt starts the children. If it is repeated after the connection broke,
 * the wait of the first try is found.
 *
 * @returns `busy` where another transaction has locked the parent, `lost` where another worker has it.
 */
export function* startChildren(
  dialect: Dialect,
  { wait, set, jobs }: NewChildren,
  isRetry: boolean,
): Operation<'started' | 'busy' | 'lost'> {
  const lock = yield* lockOneRunning(dialect, wait.job);
  if (lock !== 'ours') {
    return lock;
  }
  if (isRetry && (yield* isStarted(dialect, wait))) {
    return 'started';
  }
  // No attempt waits for them before it is parked: this one may fail, and its backoff must not end with them.
  yield* upsertWaits(dialect, [{ ...wait, job: { ...wait.job, attempt: 0 } }]);
  yield* insertGroups(dialect, [set], jobs);
  return 'started';
}

function* isStarted({ tables }: Dialect, { job, kind, name }: WaitRow): Operation<boolean> {
  const rows = yield* select(
    sql`SELECT 1 FROM ${tables.step} WHERE job_id = ${job.id} AND kind = ${kind} AND name = ${name}`,
  );
  return rows.length > 0;
}

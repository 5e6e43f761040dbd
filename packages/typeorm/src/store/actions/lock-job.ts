import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { JobLockedError, JobNotFoundError, JobStateError } from '../../errors/index.js';
import type { LiveState, Outcome } from '../../tables/job.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/jobs/queued-job.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';

/** A job whose row this transaction has locked. */
export interface LockedJob extends QueuedJob {
  readonly state: LiveState | Outcome;
  readonly orderKey: string | null;
  /** Whether it waits behind another job of its order key. */
  readonly isBehind: boolean;
  /** Whether it expires unless it starts in time. */
  readonly canExpire: boolean;
}

interface LockedRow extends QueuedRow {
  readonly state: LiveState | Outcome;
  readonly order_key: string | null;
  readonly order_head: number | string | null;
  readonly expires_at: number | string | null;
}

/**
 * Locks one job for an action by hand. Part of a transaction.
 *
 * It does not wait for a claim, a completion or another person, where the server has SKIP LOCKED: the caller should
 * look at the job before it tries again. Index: the primary key. A plain read comes first: at REPEATABLE READ, a locking read of a missing row would
 * lock a gap. The state is checked under the lock, so of two actions only the first finds the job in it.
 *
 * @param condition what the action needs, as the end of a sentence.
 * @throws JobNotFoundError, JobLockedError; JobStateError in another state.
 */
export function* lockJob(
  dialect: Dialect,
  id: Buffer,
  states: readonly (LiveState | Outcome)[],
  condition: string,
): Operation<LockedJob> {
  const { tables, byPrimaryKey } = dialect;
  const uuid = uuidFromBytes(id);
  const [found] = yield* select<LockedRow>(sql`SELECT state FROM ${tables.job} ${byPrimaryKey} WHERE id = ${id}`);
  if (!found) {
    throw new JobNotFoundError(uuid);
  }
  const [row] = yield* lockSkippingLocked<Buffer, LockedRow>(
    dialect,
    [id],
    (key) => key.toString('hex'),
    (some, locking) =>
      sql`SELECT id, queue, priority, tenant, state, order_key, order_head, expires_at
          FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${sql.list(some)}) ${locking}`,
  );
  if (!row) {
    throw new JobLockedError(uuid);
  }
  if (!states.includes(row.state)) {
    throw new JobStateError(uuid, row.state, condition);
  }
  const { state, order_key: orderKey, order_head: head } = row;
  const isBehind = head !== null && Number(head) === 0;
  return { ...toQueuedJob(row), state, orderKey, isBehind, canExpire: row.expires_at !== null };
}

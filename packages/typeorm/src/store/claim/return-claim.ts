import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { INTO_READY_LANE, lockAvailableJobs } from '../base/order/lane.js';
import type { ClaimRequest } from './claim-strategy.js';

/**
 * running → ready, for the jobs of one claim whose answer was lost. Part of a transaction. Does nothing the second
 * time.
 *
 * Index: the lane, with all columns given, then the primary key. Locks: only rows of this claim, skipping locked ones:
 * the claimer must not wait for them.
 *
 * @returns whether no job was skipped.
 */
export function* returnClaim(
  dialect: Dialect,
  { queue, owner, number }: Pick<ClaimRequest, 'queue' | 'owner' | 'number'>,
): Operation<boolean> {
  const { tables, byLane, byPrimaryKey } = dialect;
  const isOfClaim = sql`state = 'running' AND lane = ${owner} AND position = ${number}`;
  const found = inKeyOrder(
    yield* select<{ id: Buffer }>(sql`SELECT id FROM ${tables.job} ${byLane} WHERE queue = ${queue} AND ${isOfClaim}`),
  );
  if (found.length === 0) {
    return true;
  }
  const locked = yield* lockAvailableJobs(
    dialect,
    found.map(({ id }) => id),
    isOfClaim,
  );
  if (locked.length > 0) {
    yield* change(
      sql`UPDATE ${tables.job} ${byPrimaryKey} SET ${INTO_READY_LANE}
          WHERE id IN (${sql.list(locked)}) AND ${isOfClaim}`,
    );
  }
  return locked.length === found.length;
}

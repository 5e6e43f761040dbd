import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { INTO_READY_LANE } from '../lane.js';
import type { ClaimRequest } from './claim-strategy.js';

/**
 * running → ready, for the jobs of one claim whose answer never came. Does nothing the second time.
 *
 * Index: the lane, with all columns given. Locks: only rows of this claim.
 */
export function* takeBack(
  dialect: Dialect,
  { queue, owner, number }: Pick<ClaimRequest, 'queue' | 'owner' | 'number'>,
): Operation<number> {
  return yield* change(
    `UPDATE ${dialect.tables.job} ${dialect.byLane} SET ${INTO_READY_LANE}
     WHERE queue = ? AND state = 'running' AND owner = ? AND position = ?`,
    [queue, owner, number],
  );
}

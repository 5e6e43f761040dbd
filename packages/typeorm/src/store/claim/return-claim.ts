import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../../engine/operation.js';
import { inKeyOrder } from '../base/fence.js';
import { INTO_READY_LANE, lockFreeJobs } from '../base/lane.js';
import type { ClaimRequest } from './claim-strategy.js';

/**
 * running → ready, for the jobs of one claim whose answer never came. Part of a transaction. Does nothing the second
 * time.
 *
 * Index: the lane, with all columns given, then the primary key. Locks: only rows of this claim, passing over those that
 * somebody else has locked, see `lockFree`: the claimer must not wait for them.
 *
 * @returns whether nothing was passed over.
 */
export function* returnClaim(
  dialect: Dialect,
  { queue, owner, number }: Pick<ClaimRequest, 'queue' | 'owner' | 'number'>,
): Operation<boolean> {
  const { tables, byLane, byPrimaryKey } = dialect;
  const ofClaim = "state = 'running' AND owner = ? AND position = ?";
  const found = inKeyOrder(
    yield* select<{ id: Buffer }>(`SELECT id FROM ${tables.job} ${byLane} WHERE queue = ? AND ${ofClaim}`, [
      queue,
      owner,
      number,
    ]),
  );
  if (found.length === 0) {
    return true;
  }
  const locked = yield* lockFreeJobs(
    dialect,
    found.map(({ id }) => id),
    { sql: ofClaim, parameters: [owner, number] },
  );
  if (locked.length > 0) {
    yield* change(
      `UPDATE ${tables.job} ${byPrimaryKey} SET ${INTO_READY_LANE} WHERE id IN (${placeholders(locked)}) AND ${ofClaim}`,
      [...locked, owner, number],
    );
  }
  return locked.length === found.length;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { deleteById } from '../base/delete-by-id.js';
import { MOST_IDS } from '../base/chunks.js';

/** How many members a batch deletes at most, but for a group that has more: it was stored in one transaction too. */
const MEMBERS_PER_BATCH = 4_000;

/**
 * Deletes the groups that finished first, with their members: one batch. Part of a transaction; does nothing the second
 * time.
 *
 * Index: that of the finished groups, without locks; then from each group to its members, by the first column of their
 * primary key. Locks: what is deleted, which nobody else changes any more.
 *
 * @param before only those that finished before this time, in ms by the database's clock.
 * @returns whether there may be more.
 */
export function* pruneGroups(dialect: Dialect, before: number): Operation<boolean> {
  const found = yield* select<{ id: Buffer; jobs: number | string }>(
    `SELECT id, jobs FROM ${dialect.tables.group} WHERE finished_at IS NOT NULL AND finished_at < ?
     ORDER BY finished_at, id LIMIT ${MOST_IDS}`,
    [before],
  );
  let members = 0;
  const batch = found.filter(({ jobs }, index) => {
    members += Number(jobs);
    return index === 0 || members <= MEMBERS_PER_BATCH;
  });
  if (batch.length === 0) {
    return false;
  }
  const ids = batch.map(({ id }) => id);
  yield* change(dialect.deleteGroupMembers(ids));
  yield* deleteById(dialect, 'group', ids);
  return batch.length < found.length || found.length === MOST_IDS;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { deleteById } from '../base/delete-by-id.js';

/** How many members a batch deletes at most. A larger group is one batch: it was also stored in one transaction. */
const MEMBERS_PER_BATCH = 4_000;

/**
 * Deletes one batch of the groups that finished first, with their members. Part of a transaction; a second run changes
 * nothing.
 *
 * Index: the finished groups, without locks; then from each group to its members, by the first column of their primary
 * key. Locks: the deleted rows, which no other transaction changes.
 *
 * @param before only groups that finished before this time, in ms by the database's clock.
 * @returns whether there may be more.
 */
export function* pruneGroups(dialect: Dialect, before: number): Operation<boolean> {
  const found = yield* select<{ id: Buffer; jobs: number | string }>(
    sql`SELECT id, jobs FROM ${dialect.tables.group} WHERE finished_at IS NOT NULL AND finished_at < ${before}
        ORDER BY finished_at, id LIMIT ${sql.integer(MOST_IDS)}`,
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

import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../engine/operation.js';
import { CLAIMED_COLUMNS, toClaimedJob } from './claimed-job.js';
import { inKeyOrder } from './fence.js';
import { MOST_IDS, inParts } from './in-parts.js';
import { writeHistory } from './write-history.js';

/**
 * scheduled or ready → cancelled: out of the live table and into the history, in the caller's transaction or in one of
 * its own. A running job is left alone, and its row is not locked.
 *
 * Index: the primary key, also where the jobs were looked up by key before: a locking read along a key would, at
 * REPEATABLE READ, lock the gaps around it and every enqueue that falls into them. Looking up a row that is gone locks
 * a gap too, so a plain read comes first and only what it has found is locked. In a long transaction at REPEATABLE READ
 * that read is of the past: a job that has ended since then still costs a gap, until the transaction ends.
 *
 * @param name cancels only jobs of this name; null cancels all.
 * @returns the ids of the cancelled jobs.
 */
export function* cancelJobs(dialect: Dialect, ids: readonly Buffer[], name: string | null): Operation<Buffer[]> {
  const cancelled: Buffer[] = [];
  for (const part of inParts(ids, MOST_IDS)) {
    cancelled.push(...(yield* cancelPart(dialect, part, name)));
  }
  return cancelled;
}

function* cancelPart(dialect: Dialect, ids: readonly Buffer[], name: string | null): Operation<Buffer[]> {
  const { job } = dialect.tables;
  const rest = `AND state <> 'running'${name === null ? '' : ' AND name = ?'}`;
  const parametersOf = (wanted: readonly Buffer[]) => (name === null ? wanted : [...wanted, name]);
  const found = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${job} ${dialect.byPrimaryKey} WHERE id IN (${placeholders(ids)}) ${rest}`,
    parametersOf(ids),
  );
  if (found.length === 0) {
    return [];
  }
  const wanted = inKeyOrder(found).map(({ id }) => id);
  const rows = yield* select(
    `SELECT ${CLAIMED_COLUMNS}, queue, last_error, claimed_at FROM ${job} ${dialect.byPrimaryKey}
     WHERE id IN (${placeholders(wanted)}) ${rest} ${dialect.forUpdate}`,
    parametersOf(wanted),
  );
  if (rows.length === 0) {
    return [];
  }
  const cancelled = rows.map(({ id }) => id as Buffer);
  yield* writeHistory(
    dialect,
    rows.map((row) => ({
      ...toClaimedJob(row, Number(row.attempt), { queue: row.queue as string, owner: 0 }),
      state: 'cancelled',
      result: null,
      error: row.last_error as string | null,
      claimedAt: Number(row.claimed_at) || null,
    })),
  );
  yield* change(
    `${dialect.deleteFrom(dialect.tables.job)} WHERE id IN (${placeholders(cancelled)}) AND state <> 'running'`,
    cancelled,
  );
  return cancelled;
}

import type { Dialect } from '../engine/dialect.js';
import { type Operation, type Parameter, select } from '../engine/operation.js';
import { firstIdAt } from '../definition/job-id.js';
import { deleteFinishedJobs } from './delete-finished-jobs.js';
import type { Condition } from './fence.js';
import { MOST_IDS } from './in-parts.js';

/*
 * Succeeded and cancelled jobs are found by a walk along the primary key of the history, which is about the order of
 * their creation: an index by outcome and time would be paid for by every job that ends. Failed ones have such an index
 * in a table of their own: see prune-failures.ts.
 */

/** How many rows one statement looks at: on SQLite it takes all of one turn of the event loop. */
export const ROWS_PER_LOOK = 4_000;

/** Which jobs of one outcome are to go: those that either applies to. */
export interface Cutoff {
  readonly state: 'succeeded' | 'cancelled';
  /** Finished before this time, in ms by the database's clock; null: their age does not count. */
  readonly finishedBefore: number | null;
  /** With an id below this one; null: their number does not count. */
  readonly idBefore: Buffer | null;
}

/** A part of the history in which something is to go. */
export interface OldPart {
  /** The part begins behind this id. */
  readonly after: Buffer;
  /** And ends with this one. */
  readonly last: Buffer;
  /** How many jobs in it are to go. */
  readonly old: number;
  /** Whether there may be something to go behind it. */
  readonly more: boolean;
}

/**
 * Looks how much is to go among the next rows of the history. What was created before the time and finished after it is
 * passed over.
 *
 * Index: the primary key, forward from a place; it ends at the first id that no cut-off reaches. Locks nothing.
 */
export function* findOldPart(
  { tables, byPrimaryKey }: Dialect,
  cutoffs: readonly Cutoff[],
  after: Buffer,
): Operation<OldPart | undefined> {
  const old = isOld(cutoffs);
  const [row] = yield* select<{ seen: number | string; last: Buffer | null; old: number | string | null }>(
    `SELECT COUNT(*) AS seen, MAX(id) AS last, SUM(CASE WHEN ${old.sql} THEN 1 ELSE 0 END) AS old
     FROM (SELECT id, state, finished_at FROM ${tables.history} ${byPrimaryKey}
           WHERE id > ? AND id < ? ORDER BY id LIMIT ${ROWS_PER_LOOK}) part`,
    [...old.parameters, after, reachOf(cutoffs)],
  );
  return row?.last
    ? { after, last: row.last, old: Number(row.old), more: Number(row.seen) === ROWS_PER_LOOK }
    : undefined;
}

/** What one batch did. */
export interface PrunedBatch {
  readonly deleted: number;
  /** The place of the last job that was to go; undefined when the part has no more of them. */
  readonly end: Buffer | undefined;
}

/**
 * Deletes the first old jobs of a part, with their keys and errors. Part of a transaction.
 *
 * Index: the primary key, within the part. Locks: see `deleteFinishedJobs`. Does nothing the second time.
 */
export function* pruneBatch(
  dialect: Dialect,
  cutoffs: readonly Cutoff[],
  { after, last }: Pick<OldPart, 'after' | 'last'>,
): Operation<PrunedBatch> {
  const old = isOld(cutoffs);
  const rows = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${dialect.tables.history} ${dialect.byPrimaryKey}
     WHERE id > ? AND id <= ? AND (${old.sql}) ORDER BY id LIMIT ${MOST_IDS}`,
    [after, last, ...old.parameters],
  );
  const ids = rows.map(({ id }) => id);
  const deleted = ids.length > 0 ? yield* deleteFinishedJobs(dialect, ids, old) : 0;
  return { deleted, end: ids.length === MOST_IDS ? ids.at(-1) : undefined };
}

function isOld(cutoffs: readonly Cutoff[]): Condition {
  const parameters: Parameter[] = [];
  const conditions = cutoffs.map(({ state, finishedBefore, idBefore }) => {
    const either: string[] = [];
    parameters.push(state);
    if (finishedBefore !== null) {
      either.push('finished_at < ?');
      parameters.push(finishedBefore);
    }
    if (idBefore !== null) {
      either.push('id < ?');
      parameters.push(idBefore);
    }
    return `(state = ? AND (${either.join(' OR ')}))`;
  });
  return { sql: conditions.join(' OR '), parameters };
}

/** No job with this id or a higher one is to go. */
function reachOf(cutoffs: readonly Cutoff[]): Buffer {
  const reaches = cutoffs.flatMap(({ finishedBefore, idBefore }) => [
    ...(finishedBefore === null ? [] : [firstIdAt(finishedBefore)]),
    ...(idBefore === null ? [] : [idBefore]),
  ]);
  return reaches.reduce((a, b) => (Buffer.compare(a, b) < 0 ? b : a));
}

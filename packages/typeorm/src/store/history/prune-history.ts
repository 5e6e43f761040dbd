import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, type Operation, type Parameter, select } from '../../engine/operation.js';
import { firstIdAt } from '../../definition/job-id.js';
import { deleteFinishedJobs } from './delete-finished-jobs.js';
import { type TimeSpan, finishedWithin } from './history-days.js';
import { type HistoryKeyRow, historyCursorOf } from '../base/history-cursor.js';
import { MOST_IDS } from '../base/chunks.js';

/*
 * Succeeded and cancelled jobs are found by a walk along the primary key of the history, which is about the order of
 * their creation: an index by outcome and time would be paid for by every job that ends. Failed ones have such an index
 * in a table of their own: see prune-failures.ts.
 */

/** How many rows one statement looks at: on SQLite it takes all of one turn of the event loop. */
export const ROWS_PER_READ = 4_000;

/** Which jobs of one outcome are to go: those that either applies to. */
export interface Cutoff {
  readonly state: 'succeeded' | 'cancelled';
  /** Finished before this time, in ms by the database's clock; null: their age does not count. */
  readonly finishedBefore: number | null;
  /** With an id below this one; null: their number does not count. */
  readonly idBefore: Buffer | null;
}

/** Which finished jobs are to go, and where they are looked for. */
export interface Sweep {
  /** On rows of the history. */
  readonly condition: Fragment;
  /** No job with this id or a higher one is to go. */
  readonly before: Buffer;
  /** When they finished. Only spans of whole partitions, or a look would have to read what it passes over. */
  readonly span: TimeSpan;
}

/** A part of the history in which something is to go. */
export interface OldChunk {
  /** The part begins behind this id. */
  readonly after: Buffer;
  /** And ends with this one. */
  readonly last: Buffer;
  /** How many jobs are in it. */
  readonly seen: number;
  /** How many of them are to go. */
  readonly old: number;
  /** Whether there may be something to go behind it. */
  readonly more: boolean;
}

/** Sweeps away what is beyond the cut-offs. What was created before a time and finished after it is passed over. */
export function sweepOf(cutoffs: readonly Cutoff[], span: TimeSpan): Sweep {
  return { condition: isOld(cutoffs), before: reachOf(cutoffs), span };
}

/**
 * Looks how much is to go among the next rows of the history.
 *
 * Index: the primary key, forward from a place; over several partitions it is merged. It ends at the first id that is
 * not reached. Locks nothing.
 */
export function* findOldChunk(
  { tables, byPrimaryKey }: Dialect,
  { condition, before, span }: Sweep,
  after: Buffer,
): Operation<OldChunk | undefined> {
  const inSpan = finishedWithin(span);
  const [row] = yield* select<{ seen: number | string; last: Buffer | null; old: number | string | null }>(
    `SELECT COUNT(*) AS seen, MAX(id) AS last, SUM(old) AS old
     FROM (SELECT id, CASE WHEN ${condition.sql} THEN 1 ELSE 0 END AS old FROM ${tables.history} ${byPrimaryKey}
           WHERE id > ? AND id < ? ${inSpan.sql} ORDER BY id LIMIT ${ROWS_PER_READ}) part`,
    [...condition.parameters, after, before, ...inSpan.parameters],
  );
  const seen = Number(row?.seen);
  return row?.last ? { after, last: row.last, seen, old: Number(row.old), more: seen === ROWS_PER_READ } : undefined;
}

/** What one batch did. */
export interface PrunedBatch {
  readonly deleted: number;
  /** How many were to go and did not: somebody else puts them back just now. */
  readonly missed: number;
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
  { condition, span }: Sweep,
  { after, last }: Pick<OldChunk, 'after' | 'last'>,
): Operation<PrunedBatch> {
  const inSpan = finishedWithin(span);
  const rows = yield* select<HistoryKeyRow>(
    `SELECT id, finished_at FROM ${dialect.tables.history} ${dialect.byPrimaryKey}
     WHERE id > ? AND id <= ? ${inSpan.sql} AND (${condition.sql}) ORDER BY id LIMIT ${MOST_IDS}`,
    [after, last, ...inSpan.parameters, ...condition.parameters],
  );
  const found = rows.length;
  const deleted = found > 0 ? yield* deleteFinishedJobs(dialect, rows.map(historyCursorOf), condition) : 0;
  return { deleted, missed: found - deleted, end: found === MOST_IDS ? rows.at(-1)?.id : undefined };
}

function isOld(cutoffs: readonly Cutoff[]): Fragment {
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

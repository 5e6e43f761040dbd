import { firstIdAt } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { MOST_IDS } from '../base/chunks.js';
import { deleteFinishedJobs } from './delete-finished-jobs.js';

/*
 * Succeeded and cancelled jobs are found along the primary key of the history, which follows their creation: every job
 * would pay for an index by outcome and time (see docs/decisions/0050). Failed jobs have such an index in a table of
 * their own: see prune-failures.ts.
 */

/** How many rows one statement reads: on SQLite it blocks the event loop meanwhile. */
export const ROWS_PER_READ = 4_000;

/** Which jobs of one outcome are deleted: those to which either bound applies. */
export interface Cutoff {
  readonly state: 'succeeded' | 'cancelled';
  /** Finished before this time, in ms by the database's clock; null: jobs of any age are kept. */
  readonly finishedBefore: number | null;
  /** With an id below this one; null: any number is kept. */
  readonly idBefore: Buffer | null;
}

/** Which finished jobs are deleted, and the range to search for them. */
export interface Sweep {
  /** On rows of the history. */
  readonly condition: Fragment;
  /** Only jobs with lower ids are deleted. */
  readonly before: Buffer;
}

/** A chunk of the history that contains jobs to delete. */
export interface OldChunk {
  /** The chunk begins after this id. */
  readonly after: Buffer;
  /** The last id of the chunk. */
  readonly last: Buffer;
  /** How many of its jobs are deleted. */
  readonly old: number;
  /** Whether later chunks may contain jobs to delete. */
  readonly more: boolean;
}

/**
 * The sweep that deletes the jobs beyond the cutoffs. Jobs created before a cutoff that finished after it are skipped.
 */
export function sweepOf(cutoffs: readonly Cutoff[]): Sweep {
  return { condition: isOld(cutoffs), before: firstKeptId(cutoffs) };
}

/**
 * Counts the jobs to delete among the next rows of the history.
 *
 * Index: the primary key, forward from an id. Ends at the first id out of range. Locks nothing.
 */
export function* findOldChunk(
  { tables, byPrimaryKey }: Dialect,
  { condition, before }: Sweep,
  after: Buffer,
): Operation<OldChunk | undefined> {
  const [row] = yield* select<{ seen: number | string; last: Buffer | null; old: number | string | null }>(
    sql`SELECT COUNT(*) AS seen, MAX(id) AS last, SUM(old) AS old
        FROM (SELECT id, CASE WHEN ${condition} THEN 1 ELSE 0 END AS old FROM ${tables.history} ${byPrimaryKey}
              WHERE id > ${after} AND id < ${before}
              ORDER BY id LIMIT ${sql.integer(ROWS_PER_READ)}) chunk`,
  );
  return row?.last
    ? { after, last: row.last, old: Number(row.old), more: Number(row.seen) === ROWS_PER_READ }
    : undefined;
}

/** What one batch deleted. */
export interface PrunedBatch {
  readonly deleted: number;
  /** The last old job of the batch; undefined when the chunk contains no more. */
  readonly end: Buffer | undefined;
}

/**
 * Deletes the first old jobs of a chunk, with their keys and errors. Part of a transaction.
 *
 * Index: the primary key, within the chunk. Locks: see `deleteFinishedJobs`. A second run changes nothing.
 */
export function* pruneBatch(
  dialect: Dialect,
  { condition }: Sweep,
  { after, last }: Pick<OldChunk, 'after' | 'last'>,
): Operation<PrunedBatch> {
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${dialect.tables.history} ${dialect.byPrimaryKey}
        WHERE id > ${after} AND id <= ${last} AND (${condition})
        ORDER BY id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  const deleted = yield* deleteFinishedJobs(
    dialect,
    rows.map(({ id }) => id),
    condition,
  );
  return { deleted, end: rows.length === MOST_IDS ? rows.at(-1)?.id : undefined };
}

function isOld(cutoffs: readonly Cutoff[]): Fragment {
  const conditions = cutoffs.map(({ state, finishedBefore, idBefore }) => {
    const byAge = finishedBefore === null ? [] : [sql`finished_at < ${finishedBefore}`];
    const byNumber = idBefore === null ? [] : [sql`id < ${idBefore}`];
    return sql`(state = ${state} AND (${sql.join([...byAge, ...byNumber], sql` OR `)}))`;
  });
  return sql.join(conditions, sql` OR `);
}

/** No job with this id or a higher one is deleted: a job cannot finish before its creation. */
function firstKeptId(cutoffs: readonly Cutoff[]): Buffer {
  const ids = cutoffs.flatMap(({ finishedBefore, idBefore }) => [
    ...(finishedBefore === null ? [] : [firstIdAt(finishedBefore)]),
    ...(idBefore === null ? [] : [idBefore]),
  ]);
  return ids.reduce((a, b) => (Buffer.compare(a, b) < 0 ? b : a));
}

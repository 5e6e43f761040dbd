import { BEHIND_ALL_IDS } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { AttemptState } from '../base/attempt-errors.js';
import { deleteById } from '../base/delete-by-id.js';
import { deleteFinishedJobs } from './delete-finished-jobs.js';
import { deleteKeysOfFinished } from '../base/delete-keys.js';
import { type TimeSpan, finishedWithin } from './history-days.js';
import { type HistoryKeyRow, historyCursorOf } from '../base/history-cursor.js';
import { MOST_IDS } from '../base/chunks.js';
import type { OldChunk, PrunedBatch, Sweep } from './prune-history.js';

interface LinkedRow extends AttemptState, HistoryKeyRow {
  readonly job_key: string | null;
}

/** Finds the jobs of a day that have left something in other tables: keys, errors, what is noted of failures. */
export function sweepOfReferences(span: TimeSpan): Sweep {
  const condition = {
    sql: "job_key IS NOT NULL OR attempt > 1 OR (attempt = 1 AND state <> 'succeeded') OR state = 'failed'",
    parameters: [],
  };
  return { condition, before: BEHIND_ALL_IDS, span };
}

/**
 * Deletes what the first jobs of a part have left in other tables, before their day is dropped. Part of a transaction.
 *
 * A succeeded job can only be deleted, so its row is left to go with the day: deleting it too took half as much again on
 * MariaDB 10.11, and twice as much on MySQL 9.7. Any other may be put back until then, and goes as a whole, under its lock.
 *
 * Index: the primary keys. Locks: the keys and errors, and see `deleteFinishedJobs`. Does nothing the second time.
 */
export function* deleteReferences(
  dialect: Dialect,
  { condition, span }: Sweep,
  { after, last }: Pick<OldChunk, 'after' | 'last'>,
): Operation<PrunedBatch> {
  const inSpan = finishedWithin(span);
  const rows = yield* select<LinkedRow>(
    `SELECT id, finished_at, job_key, state, attempt FROM ${dialect.tables.history} ${dialect.byPrimaryKey}
     WHERE id > ? AND id <= ? ${inSpan.sql} AND (${condition.sql}) ORDER BY id LIMIT ${MOST_IDS}`,
    [after, last, ...inSpan.parameters, ...condition.parameters],
  );
  const succeeded = rows.filter(({ state }) => state === 'succeeded');
  yield* deleteKeysOfFinished(dialect, succeeded);
  yield* deleteById(
    dialect,
    'error',
    succeeded.filter(({ attempt }) => Number(attempt) > 1).map(({ id }) => id),
  );
  const others = rows.filter(({ state }) => state !== 'succeeded').map(historyCursorOf);
  const deleted = others.length > 0 ? yield* deleteFinishedJobs(dialect, others, condition) : 0;
  return { deleted, missed: others.length - deleted, end: rows.length === MOST_IDS ? rows.at(-1)?.id : undefined };
}

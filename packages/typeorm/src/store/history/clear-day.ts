import { BEHIND_ALL_IDS } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { AttemptState } from '../base/jobs/attempt-errors.js';
import { MOST_IDS } from '../base/chunks.js';
import { deleteById } from '../base/delete-by-id.js';
import { deleteKeysOfFinished } from '../base/keys/delete-keys.js';
import { type HistoryKeyRow, historyKeyOf } from '../base/order/history-key.js';
import { deleteFinishedJobs } from './delete-finished-jobs.js';
import { type TimeSpan, finishedWithin } from './history-days.js';
import type { OldChunk, PrunedBatch, Sweep } from './prune-history.js';

interface ReferencedRow extends AttemptState, HistoryKeyRow {
  readonly job_key: string | null;
}

/** The sweep over the jobs of a day that have rows in other tables: keys, errors or failures. */
export function sweepOfReferences(span: TimeSpan): Sweep {
  return {
    condition: sql`job_key IS NOT NULL OR attempt > 1 OR (attempt = 1 AND state <> 'succeeded') OR state = 'failed'`,
    before: BEHIND_ALL_IDS,
    span,
  };
}

/**
 * Deletes the rows that the first jobs of a chunk have in other tables, before their day is dropped. Part of a
 * transaction.
 *
 * A succeeded job cannot be retried, so its own row stays and is dropped with the day. Any other job is deleted
 * completely, under its lock. See docs/decisions/0052.
 *
 * Index: the primary keys. Locks: the keys and errors, and see `deleteFinishedJobs`. A second run changes nothing.
 */
export function* deleteReferences(
  dialect: Dialect,
  { condition, span }: Sweep,
  { after, last }: Pick<OldChunk, 'after' | 'last'>,
): Operation<PrunedBatch> {
  const rows = yield* select<ReferencedRow>(
    sql`SELECT id, finished_at, job_key, state, attempt FROM ${dialect.tables.history} ${dialect.byPrimaryKey}
        WHERE id > ${after} AND id <= ${last} AND ${finishedWithin(span)} AND (${condition})
        ORDER BY id LIMIT ${sql.integer(MOST_IDS)}`,
  );
  const succeeded = rows.filter(({ state }) => state === 'succeeded');
  yield* deleteKeysOfFinished(dialect, succeeded);
  yield* deleteById(
    dialect,
    'error',
    succeeded.filter(({ attempt }) => Number(attempt) > 1).map(({ id }) => id),
  );
  const others = rows.filter(({ state }) => state !== 'succeeded').map(historyKeyOf);
  const deleted = others.length > 0 ? yield* deleteFinishedJobs(dialect, others, condition) : 0;
  return { deleted, missed: others.length - deleted, end: rows.length === MOST_IDS ? rows.at(-1)?.id : undefined };
}

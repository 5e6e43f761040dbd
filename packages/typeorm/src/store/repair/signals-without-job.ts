import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { IS_LIVE } from '../base/order/lane.js';
import { type SignalKey, deleteSignals } from '../base/steps/signal-keys.js';

/** How many signals one page has. */
const SIGNALS_PER_PAGE = 2_000;

/** One page of the deletion. */
export interface DeletedSignals {
  readonly deleted: number;
  /** The last job of the page; undefined on the last page. */
  readonly end: Buffer | undefined;
}

/**
 * Deletes signals whose jobs have finished, or do not exist any more. One page. Part of a transaction.
 *
 * Index: a range of the primary key, and the primary key of the jobs. Locks: the deleted signals. A finished job that
 * is retried meanwhile loses no signal: its retry deletes them too. A second run changes nothing.
 *
 * @param after the job that the page before has ended with.
 */
export function* deleteSignalsWithoutJob(dialect: Dialect, after: Buffer): Operation<DeletedSignals> {
  const { tables, byPrimaryKey } = dialect;
  const rows = yield* select<SignalKey & { live: Buffer | null }>(
    sql`SELECT page.job_id, page.name, page.sent_at, page.id, job.id AS live
        FROM (SELECT job_id, name, sent_at, id FROM ${tables.signal} ${byPrimaryKey} WHERE job_id > ${after}
              ORDER BY job_id, name, sent_at, id LIMIT ${sql.integer(SIGNALS_PER_PAGE)}) page
        LEFT JOIN ${tables.job} job ON job.id = page.job_id AND ${IS_LIVE}`,
  );
  const leftOver = rows.filter(({ live }) => live === null);
  yield* deleteSignals(dialect, leftOver);
  const isLast = rows.length < SIGNALS_PER_PAGE;
  // Further signals of the last job follow with the next run.
  const last = rows.reduce<Buffer | undefined>(
    (max, { job_id: id }) => (max && max.compare(id) > 0 ? max : id),
    undefined,
  );
  return { deleted: leftOver.length, end: isLast ? undefined : last };
}

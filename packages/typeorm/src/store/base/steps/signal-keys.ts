import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change, select } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { SIGNAL_STAGE } from '../../../tables/signal.js';
import { MOST_IDS, chunksOf } from '../chunks.js';

/** The primary key of a signal. */
export interface SignalKey {
  readonly job_id: Buffer;
  readonly name: string;
  readonly sent_at: number | string;
  readonly id: Buffer;
}

const OR = sql` OR `;

/**
 * Finds the signals of jobs. Index: a range of the primary key for each job. Locks nothing: a locking read would wait
 * for transactions that have not committed theirs.
 */
export function* findSignals({ tables }: Dialect, ids: readonly Buffer[], condition: Fragment): Operation<SignalKey[]> {
  const rows = yield* select<SignalKey>(
    sql`SELECT job_id, name, sent_at, id FROM ${tables.signal} WHERE job_id IN (${sql.list(ids)}) AND ${condition}`,
  );
  return [...rows];
}

/** How many signals of a name a job has that no wait has taken. */
export interface SignalCount {
  readonly job_id: Buffer;
  readonly name: string;
  readonly signals: number | string;
}

/** Counts the signals of jobs that no wait has taken. Index: a range of the primary key for each job. Locks nothing. */
export function countSignals({ tables }: Dialect, ids: readonly Buffer[]): Operation<readonly SignalCount[]> {
  return select<SignalCount>(
    sql`SELECT job_id, name, COUNT(*) AS signals FROM ${tables.signal}
        WHERE job_id IN (${sql.list(ids)}) AND stage < ${SIGNAL_STAGE.taken}
        GROUP BY job_id, name`,
  );
}

/** Changes signals by their whole keys. @param statement makes the statement for a condition. */
export function* changeSignals(
  signals: readonly SignalKey[],
  statement: (which: Fragment) => Fragment,
): Operation<void> {
  for (const chunk of chunksOf(signals, MOST_IDS)) {
    const which = chunk.map(
      ({ job_id: jobId, name, sent_at: sentAt, id }) =>
        sql`(job_id = ${jobId} AND name = ${name} AND sent_at = ${Number(sentAt)} AND id = ${id})`,
    );
    yield* change(statement(sql.join(which, OR)));
  }
}

/** Deletes all signals of jobs, those that no wait has taken too. Part of a transaction. */
export function* deleteSignalsOf(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  yield* deleteSignals(dialect, yield* findSignals(dialect, ids, sql`TRUE`));
}

/** Deletes signals. Part of a transaction. */
export function* deleteSignals({ tables, deleteFrom }: Dialect, signals: readonly SignalKey[]): Operation<void> {
  yield* changeSignals(signals, (which) => sql`${deleteFrom(tables.signal)} WHERE stage IS NOT NULL AND (${which})`);
}

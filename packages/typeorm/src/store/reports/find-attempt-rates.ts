import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { ALL_QUEUES, MINUTE } from '../base/jobs/throughput-delta.js';
import { readClock } from '../base/read-clock.js';

/** The attempts of a queue that ended within the last hour. */
export interface AttemptRate {
  readonly queue: string;
  readonly attempts: number;
  /** Those that failed, retried or not. */
  readonly failures: number;
  /** How long ago the first minute with a failure began, in ms; 0 without one. */
  readonly failingFor: number;
  /** The sum of the times from due to started, in ms. */
  readonly latencySum: number;
  /** How many jobs finished within the last 60 s; of the previous minute, the share that lies in them. */
  readonly finishedLately: number;
}

const HOUR = 3_600_000;

/**
 * Sums the attempts of the last hour by queue. Index: the primary key, a row for each queue and minute. Locks nothing.
 */
export function* findAttemptRates(dialect: Dialect): Operation<AttemptRate[]> {
  const { tables, byPrimaryKey } = dialect;
  // Read first: the servers would compute the present time again for each row.
  const now = yield* readClock(dialect);
  const intoMinute = now % MINUTE;
  const finishedSince = (start: number) =>
    sql`SUM(CASE WHEN began_at >= ${sql.integer(start)} THEN succeeded + failed ELSE 0 END)`;
  const rows = yield* select(
    sql`SELECT queue, SUM(succeeded + failed + retried) AS attempts, SUM(failed + retried) AS failures,
               MIN(CASE WHEN failed + retried > 0 THEN began_at END) AS failing_since,
               SUM(latency_sum) AS latency_sum, ${finishedSince(now - intoMinute)} AS finished,
               ${finishedSince(now - intoMinute - MINUTE)} AS finished_in_both
        FROM ${tables.throughput} ${byPrimaryKey}
        WHERE began_at >= ${now - HOUR} AND queue <> ${ALL_QUEUES} GROUP BY queue`,
  );
  return rows.map((row) => {
    const finished = Number(row.finished);
    const share = 1 - intoMinute / MINUTE;
    return {
      queue: row.queue as string,
      attempts: Number(row.attempts),
      failures: Number(row.failures),
      failingFor: row.failing_since === null ? 0 : now - Number(row.failing_since),
      latencySum: Number(row.latency_sum),
      finishedLately: finished + (Number(row.finished_in_both) - finished) * share,
    };
  });
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { ALL_QUEUES } from '../base/jobs/throughput-delta.js';

/** How many attempts of a queue ended within the last hour. */
export interface AttemptRate {
  readonly queue: string;
  readonly attempts: number;
  /** Those that failed, retried or not. */
  readonly failures: number;
  /** How long ago the first minute with a failure began, in ms; 0 without one. */
  readonly failingFor: number;
}

const HOUR = 3_600_000;

/** Sums the attempts of the last hour. Index: the primary key, a row for each queue and minute. Locks nothing. */
export function* findAttemptRates({ tables, byPrimaryKey, now }: Dialect): Operation<AttemptRate[]> {
  const rows = yield* select(
    sql`SELECT queue, SUM(succeeded + failed + retried) AS attempts, SUM(failed + retried) AS failures,
               ${now} - MIN(CASE WHEN failed + retried > 0 THEN began_at END) AS failing_for
        FROM ${tables.throughput} ${byPrimaryKey} WHERE began_at >= ${now} - ${sql.integer(HOUR)} AND queue <> ${ALL_QUEUES} GROUP BY queue`,
  );
  return rows.map((row) => ({
    queue: row.queue as string,
    attempts: Number(row.attempts),
    failures: Number(row.failures),
    failingFor: Number(row.failing_for ?? 0),
  }));
}

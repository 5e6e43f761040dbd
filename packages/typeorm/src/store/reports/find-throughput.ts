import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { ThroughputDelta } from '../base/jobs/throughput-delta.js';

/** The finished attempts of one queue within a span of time. */
export interface ThroughputRow extends ThroughputDelta {
  /** When the span began, in ms. */
  readonly at: number;
}

/**
 * Sums the finished attempts since a time, by queue and span. One statement for all queues.
 *
 * Index: the primary key, from that time on: a row for each queue and minute. Locks nothing. See docs/decisions/0072.
 *
 * @param width the length of a span, in ms.
 */
export function* findThroughput(
  { tables, byPrimaryKey }: Dialect,
  since: number,
  width: number,
  queue: string | null,
): Operation<ThroughputRow[]> {
  const span = sql`began_at - began_at % ${sql.integer(width)}`;
  const isInQueue = queue === null ? sql.empty : sql`AND queue = ${queue}`;
  const rows = yield* select(
    sql`SELECT ${span} AS at, queue, SUM(succeeded) AS succeeded, SUM(failed) AS failed, SUM(retried) AS retried,
               SUM(expired) AS expired, SUM(latency_sum) AS latency_sum, MAX(latency_max) AS latency_max,
               SUM(run_sum) AS run_sum, MAX(run_max) AS run_max
        FROM ${tables.throughput} ${byPrimaryKey} WHERE began_at >= ${since} ${isInQueue}
        GROUP BY ${span}, queue`,
  );
  return rows.map((row) => ({
    at: Number(row.at),
    queue: row.queue as string,
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
    retried: Number(row.retried),
    expired: Number(row.expired),
    latencySum: Number(row.latency_sum),
    latencyMax: Number(row.latency_max),
    runSum: Number(row.run_sum),
    runMax: Number(row.run_max),
  }));
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { ALL_QUEUES, MINUTE, type ThroughputDelta } from '../base/jobs/throughput-delta.js';

/** The finished attempts of a queue, or of all, within a span of time or a part of it. */
export interface ThroughputRow extends Omit<ThroughputDelta, 'queue'> {
  /** When the span began, in ms. */
  readonly at: number;
}

/**
 * Sums the finished attempts from one time to another by span. Large spans can have several rows.
 *
 * Index: the primary key, one row for each minute, however many queues there are. Locks nothing. See
 * docs/decisions/0149.
 *
 * @param from the start of a span, in ms.
 * @param width the length of a span, in ms.
 * @param queue null: all queues together.
 */
export function* findThroughput(
  { tables, byPrimaryKey }: Dialect,
  from: number,
  to: number,
  width: number,
  queue: string | null,
): Operation<ThroughputRow[]> {
  const span = sql`began_at - began_at % ${sql.integer(width)}`;
  const minutes = Array.from({ length: Math.ceil((to - from) / MINUTE) }, (_, index) => from + index * MINUTE);
  const found: ThroughputRow[] = [];
  for (const some of chunksOf(minutes, MOST_IDS)) {
    const rows = yield* select(
      sql`SELECT ${span} AS at, SUM(succeeded) AS succeeded, SUM(failed) AS failed, SUM(retried) AS retried,
                 SUM(expired) AS expired, SUM(latency_sum) AS latency_sum, MAX(latency_max) AS latency_max,
                 SUM(run_sum) AS run_sum, MAX(run_max) AS run_max
          FROM ${tables.throughput} ${byPrimaryKey}
          WHERE began_at IN (${sql.list(some)}) AND queue = ${queue ?? ALL_QUEUES}
          GROUP BY ${span}`,
    );
    found.push(
      ...rows.map((row) => ({
        at: Number(row.at),
        succeeded: Number(row.succeeded),
        failed: Number(row.failed),
        retried: Number(row.retried),
        expired: Number(row.expired),
        latencySum: Number(row.latency_sum),
        latencyMax: Number(row.latency_max),
        runSum: Number(row.run_sum),
        runMax: Number(row.run_max),
      })),
    );
  }
  return found;
}

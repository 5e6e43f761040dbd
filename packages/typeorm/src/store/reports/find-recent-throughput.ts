import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** The jobs of a queue that finished within a minute. */
export interface RecentThroughput {
  readonly queue: string;
  /** When the minute began, in ms. */
  readonly at: number;
  readonly finished: number;
}

/**
 * Finds the finished jobs of some queues since a time, by minute. Index: the primary key, from that time on: a row for
 * each queue and minute. Locks nothing.
 */
export function* findRecentThroughput(
  { tables, byPrimaryKey }: Dialect,
  since: number,
  queues: readonly string[],
): Operation<RecentThroughput[]> {
  if (queues.length === 0) {
    return [];
  }
  const rows = yield* select(
    sql`SELECT queue, began_at AS at, succeeded + failed AS finished FROM ${tables.throughput} ${byPrimaryKey}
        WHERE began_at >= ${since} AND queue IN (${sql.list(queues)})`,
  );
  return rows.map((row) => ({ queue: row.queue as string, at: Number(row.at), finished: Number(row.finished) }));
}

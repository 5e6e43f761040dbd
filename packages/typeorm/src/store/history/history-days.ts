import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { HistoryTable } from '../../tables/table-names.js';

/** A partition of the history: the jobs that finished from its start on and before its end, in ms. */
export interface HistoryDay {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The history's partitions, as `partitionHistory` creates them. */
export interface HistoryDays {
  /** The days in order, the oldest first. */
  readonly days: readonly HistoryDay[];
  /** The end of the last day, in ms. Jobs that finish later go to the partition after all days. */
  readonly end: number;
  /** The name of that partition. */
  readonly rest: string;
}

interface PartitionRow {
  readonly name: string;
  readonly bound: string;
}

/**
 * Reads the history's partitions; undefined where it has none, or none that we created. Reads only metadata: 1 to 2 ms
 * for 46 partitions.
 */
export function* readDays({ name, database }: HistoryTable): Operation<HistoryDays | undefined> {
  const schema = database === undefined ? sql`DATABASE()` : sql`${database}`;
  const rows = yield* select<PartitionRow>(
    sql`SELECT PARTITION_NAME AS name, PARTITION_DESCRIPTION AS bound FROM information_schema.PARTITIONS
        WHERE TABLE_SCHEMA = ${schema} AND TABLE_NAME = ${name}
          AND PARTITION_METHOD = 'RANGE' AND PARTITION_EXPRESSION LIKE '%finished_at%'
        ORDER BY PARTITION_ORDINAL_POSITION`,
  );
  const last = rows.at(-1);
  if (last?.bound !== 'MAXVALUE') {
    return undefined;
  }
  const days: HistoryDay[] = [];
  let start = 0;
  for (const row of rows.slice(0, -1)) {
    const end = Number(row.bound);
    days.push({ name: row.name, start, end });
    start = end;
  }
  return { days, end: start, rest: last.name };
}

/** A span of time, in ms: from its first bound on and before its second. An undefined bound is open. */
export interface TimeSpan {
  readonly from?: number | undefined;
  readonly before?: number | undefined;
}

/** A condition: the job finished within the span. */
export function finishedWithin({ from, before }: TimeSpan): Fragment {
  const start = from === undefined ? [] : [sql`finished_at >= ${from}`];
  const end = before === undefined ? [] : [sql`finished_at < ${before}`];
  const bounds = [...start, ...end];
  return bounds.length === 0 ? sql`TRUE` : sql.join(bounds, sql` AND `);
}

/** Whether no job of the history finished in a span. Reads one row of the span's partitions. Locks nothing. */
export function* isSpanEmpty({ identifier }: HistoryTable, span: TimeSpan): Operation<boolean> {
  const rows = yield* select(sql`SELECT 1 FROM ${identifier} WHERE ${finishedWithin(span)} LIMIT 1`);
  return rows.length === 0;
}

export interface JobsOutsideDays {
  readonly jobs: number;
  /** When the oldest of them finished, in ms; null if there is none. */
  readonly oldest: number | null;
}

/**
 * Counts the jobs that finished from a time on. With the end of the last day as the time, these are the jobs outside
 * all days. Reads their rows. Locks nothing.
 *
 * @param most how many jobs are read.
 */
export function* findJobsOutsideDays(
  { identifier }: HistoryTable,
  from: number,
  most: number,
): Operation<JobsOutsideDays> {
  const [row] = yield* select<{ jobs: number | string; oldest: number | string | null }>(
    sql`SELECT COUNT(*) AS jobs, MIN(finished_at) AS oldest
        FROM (SELECT finished_at FROM ${identifier} WHERE finished_at >= ${from} LIMIT ${sql.integer(most)}) outside`,
  );
  const oldest = row?.oldest ?? null;
  return { jobs: Number(row?.jobs), oldest: oldest === null ? null : Number(oldest) };
}

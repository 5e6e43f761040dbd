import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { HistoryTable } from '../../tables/table-names.js';
import type { HistoryDays } from './history-days.js';

/*
 * Every change here is DDL: it commits implicitly and needs the table for itself for a moment. It waits for all
 * transactions that have used the history, and every later statement waits behind it. So it must not wait long.
 */

const DAY = 24 * 60 * 60 * 1000;

/** The partition after all days, for jobs that finish when their day does not exist yet. */
const REST = 'rest';

/** How many days are created in advance. See docs/decisions/0054. */
export const DAYS_CREATED_AHEAD = 14;

/** How many past days get a partition of their own; older jobs go to the first of them. */
const DAYS_BACK = 90;

/**
 * Returns the start, in ms, of each day to create: the days of jobs that are in no day, and the days to come.
 *
 * @param oldest when the first of those jobs finished; null if there are none.
 * @param end where the last existing day ends; 0 if there is none.
 */
export function daysToCreate(now: number, oldest: number | null, end: number): number[] {
  const today = Math.floor(now / DAY) * DAY;
  const first = Math.max(today - DAYS_BACK * DAY, Math.min(today, Math.floor((oldest ?? now) / DAY) * DAY));
  const count = (today - first) / DAY + DAYS_CREATED_AHEAD + 1;
  return Array.from({ length: count }, (_, index) => first + index * DAY).filter((start) => start + DAY > end);
}

/**
 * Partitions the history by day, and adds the partition column to the primary key. Copies the table, under a lock that
 * allows reads but no writes.
 */
export function* partitionByDay({ identifier }: HistoryTable, starts: readonly number[]): Operation<void> {
  yield* change(
    sql`ALTER TABLE ${identifier} DROP PRIMARY KEY, ADD PRIMARY KEY (id, finished_at)
        PARTITION BY RANGE (finished_at) (${partitions(starts, REST)})`,
  );
}

/** Splits days off the partition after all days. Copies the jobs in that partition, and locks the table meanwhile. */
export function* addDays(
  { identifier }: HistoryTable,
  { rest }: HistoryDays,
  starts: readonly number[],
): Operation<void> {
  yield* change(
    sql`ALTER TABLE ${identifier} REORGANIZE PARTITION ${partitionName(rest)} INTO (${partitions(starts, rest)})`,
  );
}

/** Drops days with all their jobs. Copies and reads nothing. */
export function* dropDays({ identifier }: HistoryTable, names: readonly string[]): Operation<void> {
  yield* change(sql`ALTER TABLE ${identifier} DROP PARTITION ${sql.join(names.map(partitionName))}`);
}

/**
 * Runs a change of the table that gives up after one second of waiting; two on MariaDB, which tries twice. Restores the
 * session's setting, because it may be a session of the application.
 */
export function* withShortLockWait(alter: Operation<void>): Operation<void> {
  const [row] = yield* select<{ seconds: number | string }>(sql`SELECT @@SESSION.lock_wait_timeout AS seconds`);
  yield* change(sql`SET SESSION lock_wait_timeout = 1`);
  try {
    yield* alter;
  } finally {
    yield* change(sql`SET SESSION lock_wait_timeout = ${sql.integer(Number(row?.seconds))}`);
  }
}

function partitions(starts: readonly number[], rest: string): Fragment {
  const days = starts.map((start) => {
    const date = new Date(start).toISOString().slice(0, 10).replaceAll('-', '');
    return sql`PARTITION ${partitionName(`d${date}`)} VALUES LESS THAN (${sql.integer(start + DAY)})`;
  });
  return sql.join([...days, sql`PARTITION ${partitionName(rest)} VALUES LESS THAN MAXVALUE`]);
}

function partitionName(name: string): Fragment {
  return sql.identifier([name], '`');
}

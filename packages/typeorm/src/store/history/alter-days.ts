import { type Operation, change, select } from '../../engine/operation.js';
import type { HistoryTable } from '../../tables/table-names.js';
import type { HistoryDays } from './history-days.js';

/*
 * Each of these is DDL: it commits by itself, and has the table for itself for a moment. It waits for every transaction
 * that has touched the history, and whoever comes after it waits behind it: so it must not wait long.
 */

const DAY = 24 * 60 * 60 * 1000;

/** The partition behind all days, for what finishes when no day has been made for it. */
const REST = 'rest';

/** How many days are made ahead. */
export const DAYS_CREATED_AHEAD = 14;

/** How many days of a history that is older are told apart; what finished before goes to the oldest. */
const DAYS_BACK = 90;

/**
 * The days to make, each by its start in ms: those of the jobs that are in none yet, and those to come.
 *
 * @param oldest when the first of these jobs finished; null where there are none.
 * @param end where the last day there is ends; 0 where there is none.
 */
export function daysToCreate(now: number, oldest: number | null, end: number): number[] {
  const today = Math.floor(now / DAY) * DAY;
  const first = Math.max(today - DAYS_BACK * DAY, Math.min(today, Math.floor((oldest ?? now) / DAY) * DAY));
  const count = (today - first) / DAY + DAYS_CREATED_AHEAD + 1;
  return Array.from({ length: count }, (_, index) => first + index * DAY).filter((start) => start + DAY > end);
}

/**
 * Puts the history into day partitions. Copies it, under a lock that lets others read and not write. The primary key gets
 * what the table is partitioned by.
 */
export function* partitionByDay({ sql }: HistoryTable, starts: readonly number[]): Operation<void> {
  yield* change(
    `ALTER TABLE ${sql} DROP PRIMARY KEY, ADD PRIMARY KEY (id, finished_at)
     PARTITION BY RANGE (finished_at) (${partitions(starts, REST)})`,
  );
}

/** Makes days out of the partition behind all days. Copies the jobs in that one, and locks the table meanwhile. */
export function* addDays({ sql }: HistoryTable, { rest }: HistoryDays, starts: readonly number[]): Operation<void> {
  yield* change(`ALTER TABLE ${sql} REORGANIZE PARTITION ${quoted(rest)} INTO (${partitions(starts, rest)})`);
}

/** Drops days with all that is in them. Copies and reads nothing. */
export function* dropDays({ sql }: HistoryTable, names: readonly string[]): Operation<void> {
  yield* change(`ALTER TABLE ${sql} DROP PARTITION ${names.map(quoted).join(', ')}`);
}

/**
 * Has a change of the table give up after one second, two on MariaDB, which asks twice. The session is left as it was:
 * it may be one of the application's.
 */
export function* withShortLockWait(alter: Operation<void>): Operation<void> {
  const [row] = yield* select<{ seconds: number | string }>('SELECT @@SESSION.lock_wait_timeout AS seconds');
  yield* change('SET SESSION lock_wait_timeout = 1');
  try {
    yield* alter;
  } finally {
    yield* change(`SET SESSION lock_wait_timeout = ${Number(row?.seconds)}`);
  }
}

function partitions(starts: readonly number[], rest: string): string {
  const days = starts.map((start) => {
    const date = new Date(start).toISOString().slice(0, 10).replaceAll('-', '');
    return `PARTITION d${date} VALUES LESS THAN (${Math.trunc(start + DAY)})`;
  });
  return [...days, `PARTITION ${quoted(rest)} VALUES LESS THAN MAXVALUE`].join(', ');
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

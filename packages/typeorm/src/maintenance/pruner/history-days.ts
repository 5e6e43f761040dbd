import { isDeepStrictEqual } from 'node:util';

import type { Engine } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { DatabaseBusyError, UnpartitionedHistoryError } from '../../errors/index.js';
import { DAYS_CREATED_AHEAD, addDays, daysToCreate, dropDays, withShortLockWait, partitionByDay } from '../../store/history/alter-days.js';
import { deleteReferences, sweepOfReferences } from '../../store/history/clear-day.js';
import { type HistoryDay, type HistoryDays, type TimeSpan, findJobsOutsideDays, isSpanEmpty, readDays } from '../../store/history/history-days.js';
import { readClock } from '../../store/base/read-clock.js';
import type { HistoryTable } from '../../tables/table-names.js';
import { sweepHistory } from './sweep-history.js';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/**
 * How long after its end a day is still left alone, in ms: a job that ended in a transaction has the time of the
 * statement, and is seen by nobody before the commit.
 */
const SETTLING = HOUR;

/**
 * The same for a day that is dropped because it is empty, whatever is to be kept: a transaction that ends while the change
 * of the table waits for it may have put a job into the day, which would be lost.
 */
const SETTLING_OF_EMPTY = DAY;

/** The pruner moves no more jobs than these: it holds up everybody who wants to end one meanwhile. */
const MOST_MOVED = 10_000;

const LOOK = { purpose: 'look at the days of the history', readOnly: true };

/** What has come of old days. */
export interface DroppedDays {
  /** How many jobs are gone, with their days or before. */
  readonly deleted: number;
  /** What finished before this time, in ms, goes with its day, now or within a day; undefined: nothing does. */
  readonly goesBefore: number | undefined;
}

/** Reads the days of the history; undefined where it is not in days. */
export async function findDays(engine: Engine): Promise<HistoryDays | undefined> {
  const table = engine.dialect.partitionable;
  return table && engine.execute(() => readDays(table), LOOK);
}

/**
 * Drops the days of which no job is to be kept any more, and old ones that are empty. What their jobs have left in other
 * tables is deleted before; a crash in between leaves days that the next run drops.
 *
 * A job is too old before the last one of its day is: it waits for that, or all of the day would be deleted job by job
 * before it could be dropped. A day that cannot be dropped, because a transaction that has touched the history is open,
 * is left to later runs; from a day later on its jobs are deleted one by one. Each run reads such a day again: that
 * transaction may have put a job into it.
 *
 * @param longestAge for how long jobs are kept at most, in ms; null: some are kept for ever.
 */
export async function dropOldDays(
  engine: Engine,
  { days }: HistoryDays,
  longestAge: number | null,
  now: number,
  signal: AbortSignal | undefined,
): Promise<DroppedDays> {
  const isTooOld = (time: number) => longestAge !== null && time + longestAge <= now;
  const over = days.filter(({ end }) => end + SETTLING <= now);
  const doomed = over.filter(({ end }) => isTooOld(end));
  /** How many jobs are in the days that only have to be dropped. */
  const cleared = new Map<HistoryDay, number>();
  let deleted = 0;
  for (const day of doomed) {
    const swept = await sweepHistory(engine, sweepOfReferences(spanOf(day)), deleteReferences, signal);
    deleted += swept.deleted;
    if (signal?.aborted) {
      return { deleted, goesBefore: undefined };
    }
    if (swept.missed === 0) {
      cleared.set(day, swept.seen - swept.deleted);
    }
  }
  const others = over.slice(doomed.length).filter(({ end }) => end + SETTLING_OF_EMPTY <= now);
  const names = [...cleared.keys(), ...(await leadingEmpty(engine, others))].map(({ name }) => name);
  const areGone = names.length > 0 && (await alter(engine, days, (table) => dropDays(table, names)));
  if (areGone) {
    deleted += [...cleared.values()].reduce((sum, jobs) => sum + jobs, 0);
  }
  const left = areGone ? doomed.filter((day) => !cleared.has(day)) : doomed;
  const isLate = left.some((day) => cleared.get(day) !== 0 && isTooOld(day.end + DAY));
  // The first day has whatever finished before it too, and no start of its own.
  return { deleted, goesBefore: isLate ? undefined : days.findLast(({ end }) => isTooOld(end - DAY))?.end };
}

/**
 * Makes the days to come, a week before they are needed, and puts the history into days where the entities say so and
 * `synchronize` could not.
 *
 * @throws UnpartitionedHistoryError
 */
export async function createDaysAhead(engine: Engine): Promise<void> {
  const table = engine.dialect.partitionable;
  const made = await findDays(engine);
  if (!table || !(made || table.byDay)) {
    return;
  }
  const now = await engine.execute(readClock, LOOK);
  const end = made?.end ?? 0;
  if (end >= now + (DAYS_CREATED_AHEAD / 2) * DAY) {
    return;
  }
  const { jobs, oldest } = await engine.execute(() => findJobsOutsideDays(table, end, MOST_MOVED + 1), LOOK);
  if (jobs > MOST_MOVED) {
    throw new UnpartitionedHistoryError(table.sql.sql, MOST_MOVED);
  }
  const starts = daysToCreate(now, oldest, end);
  await alter(engine, made?.days, () => (made ? addDays(table, made, starts) : partitionByDay(table, starts)));
}

/** Only the first ones, so that as a rule one is looked at. */
async function leadingEmpty(engine: Engine, days: readonly HistoryDay[]): Promise<HistoryDay[]> {
  const empty: HistoryDay[] = [];
  for (const day of days) {
    if (!(await engine.execute(({ tables }) => isSpanEmpty(tables.historyTable, spanOf(day)), LOOK))) {
      break;
    }
    empty.push(day);
  }
  return empty;
}

/**
 * Changes the days, unless that has to wait for somebody.
 *
 * @param known the days as they were found.
 * @returns false where it has not been done: a transaction is open that has touched the history, or another process
 *   changes the days too.
 */
async function alter(
  engine: Engine,
  known: readonly HistoryDay[] | undefined,
  operation: (table: HistoryTable) => Operation<void>,
): Promise<boolean> {
  try {
    // Again it would wait, and everybody behind it, for as long again.
    const change = { purpose: 'change the days of the history', repeatable: false };
    await engine.execute(({ tables }) => withShortLockWait(operation(tables.historyTable)), change);
    return true;
  } catch (error) {
    if (error instanceof DatabaseBusyError || !isDeepStrictEqual((await findDays(engine))?.days, known)) {
      return false;
    }
    throw error;
  }
}

function spanOf({ start, end }: HistoryDay): TimeSpan {
  return { from: start, before: end };
}

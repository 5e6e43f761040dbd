import type { Engine } from '../../engine/engine.js';
import { dropDays } from '../../store/history/alter-days.js';
import { deleteReferences, sweepOfReferences } from '../../store/history/clear-day.js';
import { type HistoryDay, type HistoryDays, type TimeSpan, isSpanEmpty } from '../../store/history/history-days.js';
import { alterHistory } from './alter-history.js';
import { sweepHistory } from './sweep-history.js';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/**
 * How long a day stays after its end, in ms: a job that finishes in a transaction has the time of the statement, and is
 * invisible until the commit.
 */
const COMMIT_MARGIN = HOUR;

/**
 * How long an empty day stays that retention would keep, in ms. A transaction that commits while the drop waits for it
 * may have put a job into the day, and the drop would delete that job.
 */
const COMMIT_MARGIN_OF_EMPTY = DAY;

/** The result of dropping old days. */
export interface DroppedDays {
  /** How many jobs were deleted, with their days or before. */
  readonly deleted: number;
  /**
   * Jobs that finished before this time, in ms, are deleted with their day, now or within a day. Undefined: none are.
   */
  readonly droppedBefore: number | undefined;
}

/**
 * Drops the days that contain no job to keep, and old days that are empty. The rows that their jobs have in other
 * tables are deleted before; if the process dies in between, the next run drops the days. See docs/decisions/0052.
 *
 * A job exceeds its age before the last job of its day does. It waits for that one: otherwise the whole day would be
 * deleted job by job before it could be dropped.
 *
 * A day cannot be dropped while an open transaction uses the history. Later runs try again and read the day again,
 * because the transaction may have put a job into it. After another day its jobs are deleted one by one.
 *
 * @param longestAge how long any job is kept, in ms; null: some jobs are kept without a limit.
 */
export async function dropOldDays(
  engine: Engine,
  { days }: HistoryDays,
  longestAge: number | null,
  now: number,
  signal: AbortSignal | undefined,
): Promise<DroppedDays> {
  const isTooOld = (time: number) => longestAge !== null && time + longestAge <= now;
  const past = days.filter(({ end }) => end + COMMIT_MARGIN <= now);
  const expired = past.filter(({ end }) => isTooOld(end));
  /** How many jobs the days contain that are ready to be dropped. */
  const cleared = new Map<HistoryDay, number>();
  let deleted = 0;
  for (const day of expired) {
    const swept = await sweepHistory(engine, sweepOfReferences(spanOf(day)), deleteReferences, signal);
    deleted += swept.deleted;
    if (signal?.aborted) {
      return { deleted, droppedBefore: undefined };
    }
    if (swept.missed === 0) {
      cleared.set(day, swept.seen - swept.deleted);
    }
  }
  const others = past.slice(expired.length).filter(({ end }) => end + COMMIT_MARGIN_OF_EMPTY <= now);
  const names = [...cleared.keys(), ...(await leadingEmpty(engine, others))].map(({ name }) => name);
  const areDropped = names.length > 0 && (await alterHistory(engine, days, (table) => dropDays(table, names)));
  if (areDropped) {
    deleted += [...cleared.values()].reduce((sum, jobs) => sum + jobs, 0);
  }
  const undropped = areDropped ? expired.filter((day) => !cleared.has(day)) : expired;
  const isLate = undropped.some((day) => cleared.get(day) !== 0 && isTooOld(day.end + DAY));
  // The first day also contains all jobs that finished before it.
  return { deleted, droppedBefore: isLate ? undefined : days.findLast(({ end }) => isTooOld(end - DAY))?.end };
}

/** The empty days before the first one with jobs: usually one read. */
async function leadingEmpty(engine: Engine, days: readonly HistoryDay[]): Promise<HistoryDay[]> {
  const read = { purpose: 'read the days of the history', readOnly: true };
  const empty: HistoryDay[] = [];
  for (const day of days) {
    if (!(await engine.execute(({ tables }) => isSpanEmpty(tables.historyTable, spanOf(day)), read))) {
      break;
    }
    empty.push(day);
  }
  return empty;
}

function spanOf({ start, end }: HistoryDay): TimeSpan {
  return { from: start, before: end };
}

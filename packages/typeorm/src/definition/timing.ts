import { Cron } from 'croner';

/** The times of a schedule: a cron expression, or an interval in ms. */
export type Timing =
  { readonly cron: string; readonly timeZone: string } | { readonly cron: null; readonly every: number };

const SECOND = 1000;

/**
 * Parses a cron expression of five fields, or of six with the seconds first. Throws an error of croner for an invalid
 * one.
 *
 * Daylight saving: a fixed time that is skipped ticks right after the change, and one that occurs twice ticks once.
 * With a wildcard or a step the schedule follows the clock: skipped times do not tick, and repeated ones tick twice.
 */
export function parseCron(expression: string, timeZone: string): Cron {
  return new Cron(expression, {
    timezone: timeZone,
    mode: '5-or-6-parts',
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });
}

/** Returns the first tick of a schedule that begins at a time; null if there is none. */
export function firstTick(timing: Timing, time: number): number | null {
  return timing.cron === null ? time + timing.every : nextRun(parseCron(timing.cron, timing.timeZone), time);
}

/**
 * Returns the ticks from a given one up to a time, both included. If there are more than `most`, the latest of them.
 */
export function ticksUpTo(timing: Timing, tick: number, time: number, most: number): DueTicks {
  return timing.cron === null
    ? ticksOfInterval(timing.every, tick, time, most)
    : ticksOfCron(parseCron(timing.cron, timing.timeZone), tick, time, most);
}

export interface DueTicks {
  /** Oldest first. */
  readonly ticks: readonly number[];
  /** The latest due tick before these; undefined if these are all. */
  readonly omitted: number | undefined;
  /** The first tick that is not due yet; null if there is none. */
  readonly next: number | null;
}

function ticksOfInterval(every: number, tick: number, time: number, most: number): DueTicks {
  const due = Math.floor((time - tick) / every) + 1;
  const kept = Math.min(due, most);
  const first = tick + (due - kept) * every;
  return {
    ticks: Array.from({ length: kept }, (_, index) => first + index * every),
    omitted: due > kept ? first - every : undefined,
    next: tick + due * every,
  };
}

function ticksOfCron(cron: Cron, tick: number, time: number, most: number): DueTicks {
  const ticks: number[] = [];
  let next: number | null = tick;
  while (next !== null && next <= time) {
    if (ticks.length === most) {
      // Counting on could take millions of steps.
      return latestOfCron(cron, time, most);
    }
    ticks.push(next);
    next = nextRun(cron, next);
  }
  return { ticks, omitted: undefined, next };
}

function latestOfCron(cron: Cron, time: number, most: number): DueTicks {
  const nextSecond = (Math.floor(time / SECOND) + 1) * SECOND;
  const [omitted, ...ticks] = cron
    .previousRuns(most + 1, new Date(nextSecond))
    .map((run) => run.getTime())
    .toSorted((a, b) => a - b);
  return { ticks, omitted, next: nextRun(cron, time) };
}

function nextRun(cron: Cron, after: number): number | null {
  return cron.nextRun(new Date(after))?.getTime() ?? null;
}

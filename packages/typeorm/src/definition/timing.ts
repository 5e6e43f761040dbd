import { Cron } from 'croner';

/** When a schedule ticks: by a cron expression, or by an interval in ms. */
export type Timing =
  { readonly cron: string; readonly timeZone: string } | { readonly cron: null; readonly every: number };

const SECOND = 1000;

/**
 * A parsed expression; throws an error of croner's for a wrong one.
 *
 * Five fields, or six with the seconds first. A time of day that a change of the clocks takes away ticks right after the
 * change; one that comes twice ticks the first time only. Fields with a wildcard or a step follow the clocks instead:
 * what is taken away does not tick, and what comes twice ticks twice.
 */
export function parseCron(expression: string, timeZone: string): Cron {
  return new Cron(expression, {
    timezone: timeZone,
    mode: '5-or-6-parts',
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });
}

/** The first tick of a schedule that begins at a time; null if there is none. */
export function firstTick(timing: Timing, time: number): number | null {
  return timing.cron === null ? time + timing.every : nextRun(parseCron(timing.cron, timing.timeZone), time);
}

/**
 * The ticks from one of them up to a time, that tick included: the latest ones where there are more than `most`.
 *
 * @returns the tick behind them as well, and whether earlier ones were left out.
 */
export function ticksUpTo(timing: Timing, tick: number, time: number, most: number): DueTicks {
  return timing.cron === null
    ? ticksOfInterval(timing.every, tick, time, most)
    : ticksOfCron(parseCron(timing.cron, timing.timeZone), tick, time, most);
}

/** Ticks that are due. */
export interface DueTicks {
  /** Oldest first. */
  readonly ticks: readonly number[];
  /** The latest tick before them that is due too; undefined when they are all that are. */
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
      // Not one by one: there may be millions.
      return latestOfCron(cron, time, most);
    }
    ticks.push(next);
    next = nextRun(cron, next);
  }
  return { ticks, omitted: undefined, next };
}

function latestOfCron(cron: Cron, time: number, most: number): DueTicks {
  const nextSecond = (Math.floor(time / SECOND) + 1) * SECOND;
  const [leftOut, ...ticks] = cron
    .previousRuns(most + 1, new Date(nextSecond))
    .map((run) => run.getTime())
    .toSorted((a, b) => a - b);
  return { ticks, omitted, next: nextRun(cron, time) };
}

function nextRun(cron: Cron, after: number): number | null {
  return cron.nextRun(new Date(after))?.getTime() ?? null;
}

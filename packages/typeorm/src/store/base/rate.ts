import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, sql } from '../../engine/sql.js';

/**
 * A rate limit: a token bucket that is stored as one time, by the generic cell rate algorithm of ITU-T I.371.
 *
 * `burst` tokens come back one by one, `jobs` in each `window`. Each start takes one. `full_at` is when all are back: a
 * start moves it on by the time that one token takes. So in any time t at most `burst + t × jobs / window` jobs start.
 * Times are in µs, because the time of one token of a high rate is less than a millisecond. See docs/decisions/0130.
 */
export interface Rate {
  readonly jobs: number;
  /** In ms. */
  readonly window: number;
  readonly burst: number;
}

/** For how long a worker at the limit collects tokens before it claims again, in ms. */
const COLLECTS_FOR = 10;

/** How much the clocks of two nodes of a cluster differ at most, in µs. */
const CLOCK_DIFFERENCE = 1_000_000;

/** How many tokens of the default burst come back in so many ms: a worker that claims this late loses none. */
const DEFAULT_BURST_TIME = 100;

/**
 * The burst of a rate without one. Rates below ten a second get one token, and no window has more starts than `jobs`.
 * Higher rates get those of 100 ms, because a worker takes some ms from one claim to the next.
 */
export function defaultBurst({ jobs, window }: Pick<Rate, 'jobs' | 'window'>): number {
  return Math.min(jobs, 1 + Math.floor((jobs * DEFAULT_BURST_TIME) / window));
}

/** How far some starts move `full_at` on, in µs. Rounded up, so that the promise holds. */
export function costOf({ jobs, window }: Rate, starts: number): number {
  return Math.ceil((starts * window * 1_000) / jobs);
}

/** How far ahead `full_at` is while there is no token and none comes back, in µs. */
export function emptyAhead(rate: Rate): number {
  return costOf(rate, rate.burst);
}

/**
 * Whether `full_at` is so far ahead that the clock was set back, or the limit was changed. The clocks of two nodes of a
 * cluster may differ a little: corrected each time, that would bring tokens.
 */
export function isTooFarAhead(rate: Rate, ahead: number): boolean {
  return ahead > emptyAhead(rate) + CLOCK_DIFFERENCE;
}

/** How many tokens there are. @param ahead how far ahead `full_at` is, in µs. */
export function tokensAt({ jobs, window, burst }: Rate, ahead: number): number {
  const used = (Math.max(0, ahead) * jobs) / (window * 1_000);
  return Math.max(0, Math.floor(burst - used));
}

/** In how many ms there will be so many tokens, of `burst` at most. */
export function timeUntil({ jobs, window, burst }: Rate, ahead: number, tokens: number): number {
  const missing = ahead - Math.floor(((burst - Math.min(tokens, burst)) * window * 1_000) / jobs);
  return Math.max(0, Math.ceil(missing / 1_000));
}

/**
 * In how many ms a worker that wants more starts claims again: when there is a token. At high rates it collects those
 * of some ms, or it would claim for each one, but never so long that tokens are lost.
 */
export function retryIn(rate: Rate, ahead: number, wanted = Infinity): number {
  const collected = Math.floor((rate.jobs * COLLECTS_FOR) / rate.window);
  return timeUntil(rate, ahead, Math.max(1, Math.min(wanted, collected, Math.floor(rate.burst / 2))));
}

/** The present time by the database's clock, in µs like `full_at`. */
export function nowInMicroseconds({ now }: Dialect): Fragment {
  return sql`${now} * 1000`;
}

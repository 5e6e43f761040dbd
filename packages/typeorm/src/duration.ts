import ms from 'ms';

import { InvalidOptionError } from './errors/index.js';

/** A span of time: a number of milliseconds, or a number with its unit: `'30s'`, `'1.5h'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const DAY = 24 * 60 * 60 * 1000;

/** The longest span for the database to count: a hundred years. It keeps every computed time far inside a BIGINT. */
export const LONGEST = 36_500 * DAY;

/** The longest span for a timer of Node to count, which takes anything longer for 1 ms. */
export const LONGEST_TIMER = 24 * DAY;

/**
 * Turns a duration into whole milliseconds.
 *
 * @throws InvalidOptionError naming `option` when the value is no duration, below `least`, or above `most`.
 */
export function toMilliseconds(option: string, value: Duration, least = 0, most = LONGEST): number {
  const parsed = typeof value === 'string' ? parse(value) : value;
  if (typeof parsed !== 'number' || !(parsed >= least && parsed <= most)) {
    throw new InvalidOptionError(
      option,
      value,
      `a duration of at least ${least} ms and at most ${most / DAY} days: milliseconds, or text like '30s', '10m', '2h'`,
    );
  }
  return Math.round(parsed);
}

function parse(text: string): number | undefined {
  return /^-?[\d.]+(ms|s|m|h|d)$/.test(text) ? ms(text as Parameters<typeof ms>[0]) : undefined;
}

import ms from 'ms';

// Not from the index: `SnoozeJobError` needs durations.
import { InvalidOptionError } from './errors/option.errors.js';

/** A duration: a number of milliseconds, or a number with a unit: `'250ms'`, `'30s'`, `'10m'`, `'1.5h'`, `'7d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const DAY = 24 * 60 * 60 * 1000;

/** The longest duration for the database: a hundred years. Computed times stay far inside a BIGINT. */
export const LONGEST = 36_500 * DAY;

/** The longest duration for a timer of Node, which treats anything longer as 1 ms. */
export const LONGEST_TIMER = 24 * DAY;

/**
 * Converts a duration to whole milliseconds.
 *
 * @throws InvalidOptionError naming `option` for an invalid duration, and for one outside of `least` to `most`.
 */
export function toMilliseconds(option: string, value: Duration, least = 0, most = LONGEST): number {
  const parsed = typeof value === 'string' ? parse(value) : value;
  if (typeof parsed !== 'number' || !(parsed >= least && parsed <= most)) {
    throw new InvalidOptionError(
      option,
      value,
      `a duration of at least ${least} ms and at most ${most / DAY} days: milliseconds, ` +
        "or text like '30s', '10m', '2h'",
    );
  }
  return Math.round(parsed);
}

function parse(text: string): number | undefined {
  return /^-?[\d.]+(ms|s|m|h|d)$/.test(text) ? ms(text as Parameters<typeof ms>[0]) : undefined;
}

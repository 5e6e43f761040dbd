import ms from 'ms';

import { InvalidOptionError } from '../errors/index.js';

/** A span of time: a number of milliseconds, or a number with its unit: `'30s'`, `'1.5h'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** The longest span that is accepted: a hundred years. It keeps every computed time far inside a BIGINT. */
const LONGEST = 100 * 365 * 24 * 60 * 60 * 1000;

/**
 * Turns a duration into whole milliseconds.
 *
 * @throws InvalidOptionError naming `option` when the value is no duration, negative, or below `least`.
 */
export function toMilliseconds(option: string, value: Duration, least = 0): number {
  const parsed = typeof value === 'string' ? parse(value) : value;
  if (typeof parsed !== 'number' || !(parsed >= least && parsed <= LONGEST)) {
    throw new InvalidOptionError(
      option,
      value,
      `a duration of at least ${least} ms and at most 100 years: milliseconds, or text like '30s', '10m', '2h'`,
    );
  }
  return Math.round(parsed);
}

function parse(text: string): number | undefined {
  return /^-?[\d.]+(ms|s|m|h|d)$/.test(text) ? ms(text as Parameters<typeof ms>[0]) : undefined;
}

import { types } from 'node:util';

import { InvalidOptionError, UnknownOptionError } from './errors/index.js';

/**
 * Refuses options that nothing reads.
 *
 * @param path the place of the options, `''` or ending in a dot.
 * @throws UnknownOptionError, InvalidOptionError
 */
export function assertKnownOptions(options: unknown, known: readonly string[], path = ''): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidOptionError(path.replace(/\.$/, '') || 'options', options, 'an object');
  }
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) {
      throw new UnknownOptionError(`${path}${option}`, known);
    }
  }
}

/**
 * A whole number within bounds.
 *
 * @throws InvalidOptionError
 */
export function wholeNumber(option: string, value: unknown, least: number, most: number): number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    throw new InvalidOptionError(option, value, `a whole number from ${least} to ${most}`);
  }
  return value as number;
}

/**
 * Refuses what is no array, or too short. The error does not show what is in it: payloads may be.
 *
 * @throws InvalidOptionError
 */
export function assertList(option: string, value: unknown, accepted: string, least = 0): void {
  if (!Array.isArray(value)) {
    throw new InvalidOptionError(option, Object.prototype.toString.call(value), accepted);
  }
  if (value.length < least) {
    throw new InvalidOptionError(option, value, accepted);
  }
}

/**
 * The time of a Date that may be left out, in ms.
 *
 * @throws InvalidOptionError
 */
export function optionalTime(option: string, value: Date | undefined): number | undefined {
  if (value !== undefined && !(types.isDate(value) && !Number.isNaN(value.getTime()))) {
    throw new InvalidOptionError(option, value, 'a valid Date');
  }
  return value?.getTime();
}

import { types } from 'node:util';

import { InvalidOptionError, UnknownOptionError } from './errors/index.js';
import { hintFor, nearestName } from './option-advice.js';

/**
 * Rejects options that nothing reads.
 *
 * @param path the path of the options, `''` or ending in a dot.
 * @param advice what to do about a name that is like no other. Default: the error lists the known names.
 * @throws UnknownOptionError for the first option that is not known.
 * @throws InvalidOptionError if the options are not an object.
 */
export function assertKnownOptions(options: unknown, known: readonly string[], path = '', advice?: string): void {
  // Not an array, a Date or a boxed number, whose keys are no options.
  if (Object.prototype.toString.call(options) !== '[object Object]') {
    throw new InvalidOptionError(path.replace(/\.$/, '') || 'options', options, 'an object');
  }
  for (const option of Object.keys(options as object)) {
    if (!known.includes(option)) {
      throw new UnknownOptionError(`${path}${option}`, known, adviceFor(option, known) ?? advice);
    }
  }
}

function adviceFor(option: string, known: readonly string[]): string | undefined {
  const nearest = nearestName(option, known);
  return nearest === undefined ? hintFor(option) : `Did you mean "${nearest}"? The options are: ${known.join(', ')}.`;
}

/**
 * Returns a whole number within bounds.
 *
 * @throws InvalidOptionError for any other value.
 */
export function wholeNumber(option: string, value: unknown, least: number, most: number): number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    throw new InvalidOptionError(option, value, `a whole number from ${least} to ${most}`);
  }
  return value as number;
}

/**
 * Rejects a value that is not an array, or too short. The error does not show its elements: they may be payloads.
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
 * Returns the time of a Date in ms, or undefined if none was given.
 *
 * @throws InvalidOptionError for an invalid Date and any other value.
 */
export function optionalTime(option: string, value: Date | undefined): number | undefined {
  if (value !== undefined && !(types.isDate(value) && !Number.isNaN(value.getTime()))) {
    throw new InvalidOptionError(option, value, 'a valid Date');
  }
  return value?.getTime();
}

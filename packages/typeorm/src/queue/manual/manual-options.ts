import type { PauseOptions } from '../../action-options.js';
import { assertKnownOptions } from '../../options.js';
import type { JobOptions } from '../enqueue/enqueue-options.js';

/** A job to enqueue by hand: `manual.enqueue`. */
export interface ManualJob extends Pick<JobOptions, 'delay' | 'runAt' | 'priority' | 'key'> {
  /** The name of its definition. */
  readonly name: string;
  /** Its queue. Default: that of the definition, which this process must have then. */
  readonly queue?: string;
  /** JSON data. Default: none. */
  readonly payload?: unknown;
}

/** Options of `manual.copy`: the differences between the copy and the job. */
export interface CopyOptions extends PauseOptions, Pick<JobOptions, 'delay' | 'runAt'> {
  /** JSON data. Default: the payload of the job, as it is stored. */
  readonly payload?: unknown;
}

/** Options of `manual.reschedule`: the new time, either `delay` or `runAt`. */
export interface RescheduleOptions extends PauseOptions, Pick<JobOptions, 'delay' | 'runAt'> {}

const WHO = ['by', 'reason'];

/**
 * Separates who acts, and why, from the other options.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export function splitWho<Options extends PauseOptions>(
  options: Options,
  known: readonly string[] = [],
): [PauseOptions, Omit<Options, keyof PauseOptions>] {
  assertKnownOptions(options, [...WHO, ...known]);
  const { by, reason, ...rest } = options;
  return [{ ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) }, rest];
}

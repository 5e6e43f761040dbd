import type { Duration } from '@tablequeue/typeorm';
import { toMilliseconds } from '@tablequeue/typeorm/internal';

import { CURRENT_ENGINES } from '../servers/engines.js';

/** What a run does. Durations in ms. */
export interface SoakPlan {
  readonly engine: (typeof CURRENT_ENGINES)[number];
  readonly duration: number;
  /** Jobs a second that are enqueued. */
  readonly rate: number;
  /**
   * How long finished jobs are kept: short, so that the tables have their size when the judged part of a run begins.
   */
  readonly retentionAge: number;
  /** The time from one sample to the next. */
  readonly interval: number;
}

const MINUTE = 60_000;
const LONGEST_INTERVAL = 10_000;
const LONGEST_AGE = 5 * MINUTE;

/** @throws where an option is none of those there are. */
export function planOf(options: { engine: string; duration: string; rate: string }): SoakPlan {
  const engine = CURRENT_ENGINES.find((each) => each === options.engine);
  if (engine === undefined) {
    throw new Error(`There is no soak on "${options.engine}": --engine=${CURRENT_ENGINES.join(', or ')}.`);
  }
  const duration = toMilliseconds('--duration', options.duration as Duration, MINUTE);
  const rate = Number(options.rate);
  if (!(rate > 0)) {
    throw new Error(`There is no rate of "${options.rate}" jobs a second.`);
  }
  return {
    engine,
    duration,
    rate,
    retentionAge: Math.min(LONGEST_AGE, duration / 12),
    interval: Math.min(LONGEST_INTERVAL, duration / 60),
  };
}

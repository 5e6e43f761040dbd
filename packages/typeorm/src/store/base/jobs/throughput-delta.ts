/**
 * The attempts of a queue, or of all, that ended in a process since the last write, and the jobs that expired. Times in
 * whole ms.
 */
export interface ThroughputDelta {
  readonly queue: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly retried: number;
  readonly expired: number;
  readonly latencySum: number;
  readonly latencyMax: number;
  readonly runSum: number;
  readonly runMax: number;
}

/** The time that a row has the attempts of, in ms. */
export const MINUTE = 60_000;

/** In the place of a queue: all queues together. No queue has this name. */
export const ALL_QUEUES = '';

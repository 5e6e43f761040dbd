/** The outcome of an attempt in a drain, named as in `WorkerEvents`. */
export type DrainedOutcome =
  | 'succeeded'
  /** It has failed and is not retried. */
  | 'failed'
  /** It has failed and is retried. */
  | 'retried'
  | 'snoozed'
  /** A durable job waits for a time, for a signal, or for the next try of a step. */
  | 'parked'
  | 'cancelled'
  | 'expired'
  /** There is no handler for it, or one that is too old for its payload. */
  | 'unhandled'
  | 'returned'
  | 'lost';

/** An attempt in a drain, or a job that has expired. A job that was retried and ran again has two. */
export interface DrainedJob {
  /** The id of the job. */
  readonly id: string;
  /** The name of the job. */
  readonly name: string;
  /** The queue of the job. */
  readonly queue: string;
  /** The key of the job. */
  readonly key: string | undefined;
  /** The tenant of the job. */
  readonly tenant: string | undefined;
  /** The stored payload; undefined for a job that has expired. */
  readonly payload: unknown;
  /** The number of the attempt, from 1. For a job that has expired, that of its last one: 0 if there was none. */
  readonly attempt: number;
  /** The outcome of the attempt. */
  readonly outcome: DrainedOutcome;
  /** The error of a failed attempt, or an `UnhandledJobError`. */
  readonly error: Error | undefined;
}

/** What came of a run in a drain; the words are those of `WorkerEvents`. */
export type DrainedOutcome =
  | 'succeeded'
  /** No attempt is left. */
  | 'failed'
  /** Tried again when its back-off is over. */
  | 'retried'
  | 'snoozed'
  | 'cancelled'
  /** This process has no handler for it, or one that is too old. */
  | 'unhandled'
  | 'returned'
  | 'lost';

/** One run of a job in a drain. A job that was retried and ran again has two. */
export interface DrainedJob {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  /** As it was stored. */
  readonly payload: unknown;
  readonly attempt: number;
  readonly outcome: DrainedOutcome;
  /** What the handler has thrown where that counts as a failure, or an `UnhandledJobError`. */
  readonly error: Error | undefined;
}

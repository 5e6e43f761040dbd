/** A job that `enqueue` or `enqueueMany` was given. */
export interface EnqueuedJob {
  /** A UUIDv7. Where the job was not created, the id of the one that has its unique key. */
  readonly id: string;
  /** Whether it was stored; false only for a job with `unique`. */
  readonly created: boolean;
  /** Whether it was not created and the job that has its unique key got its payload and options instead. */
  readonly replaced: boolean;
}

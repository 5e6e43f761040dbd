/** The result of `enqueue` for a job. */
export interface EnqueuedJob {
  /** The id of the job, a UUIDv7. If `created` is false, the id of the job that has its unique key. */
  readonly id: string;
  /** Whether the job was stored. False only with `unique`, if another job has the key. */
  readonly created: boolean;
  /** Whether the other job got the payload and options of this one: see `onConflict: 'replace'`. */
  readonly replaced: boolean;
}

/** A job that does not run, as the notice to workers needs it. */
export interface QueuedJob {
  readonly id: Buffer;
  readonly queue: string;
  readonly priority: number;
  readonly tenant: string | null;
}

/** The columns of a `QueuedJob`. */
export interface QueuedRow {
  readonly id: Buffer;
  readonly queue: string;
  readonly priority: number | string;
  readonly tenant: string | null;
}

export function toQueuedJob({ id, queue, priority, tenant }: QueuedRow): QueuedJob {
  return { id, queue, priority: Number(priority), tenant };
}

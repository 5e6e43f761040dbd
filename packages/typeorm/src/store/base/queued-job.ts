/** A job that does not run, as much of it as a bell is rung for: it is ready, or may be. */
export interface QueuedJob {
  readonly id: Buffer;
  readonly queue: string;
  readonly priority: number;
  readonly tenant: string | null;
}

/** Its columns. */
export interface QueuedRow {
  readonly id: Buffer;
  readonly queue: string;
  readonly priority: number | string;
  readonly tenant: string | null;
}

export function toQueuedJob({ id, queue, priority, tenant }: QueuedRow): QueuedJob {
  return { id, queue, priority: Number(priority), tenant };
}

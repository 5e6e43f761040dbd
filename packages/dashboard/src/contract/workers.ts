import type { Count } from './counts.js';
import type { JobRow } from './jobs.js';

/** `GET api/workers` answers them all, the oldest first. */
export interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** That of @tablequeue/typeorm. */
  readonly version: string;
  readonly startedAt: number;
  /** When it last renewed its lease. */
  readonly seenAt: number;
  readonly leaseEndsAt: number;
  /** Null: all. */
  readonly queues: readonly string[] | null;
  /** The weight of each of its queues: their shares of the worker's room. */
  readonly weights: Readonly<Record<string, number>>;
  /** Some of what it runs, the oldest first. */
  readonly running: readonly JobRow[];
  readonly runningCount: Count;
}

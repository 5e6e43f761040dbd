import type { QueueFigures } from './queue-figures.js';

/** One enqueue: the jobs that one call stores. */
export interface SendOperation {
  /** The queue of all its jobs; undefined where they are of several, as those of a group may be. */
  readonly queue: string | undefined;
  /** The name of all its jobs; undefined where they differ. */
  readonly name: string | undefined;
  /** How many jobs it stores. */
  readonly count: number;
}

/** An enqueue that is under way. */
export interface Sending {
  /** Stored with each of its jobs, and handed to `process` where they run. Undefined where there is nothing to tie them to. */
  readonly trace: string | undefined;
  /** Calls the work at once, in the context of this enqueue. */
  run(work: () => void): void;
  /** @param id of the job where it is one; of the other one where a unique key was taken. */
  succeeded(id: string | undefined): void;
  failed(error: Error): void;
}

/** A job that is handed to its handler. */
export interface ProcessedJob {
  readonly id: string;
  readonly attempt: number;
  /** What `Sending.trace` was when it was enqueued. */
  readonly trace: string | null;
}

/** One call of a handler. */
export interface ProcessOperation {
  readonly queue: string;
  readonly name: string;
  /** One, or those of a call of a batch handler. */
  readonly jobs: readonly ProcessedJob[];
  readonly isBatch: boolean;
}

/**
 * What has become of a job in an attempt. `lost`: another worker had taken it over; `unknown`: the handler's own
 * transaction may or may not have been committed.
 */
export type AttemptOutcome =
  'succeeded' | 'failed' | 'retried' | 'snoozed' | 'cancelled' | 'returned' | 'unhandled' | 'lost' | 'unknown';

/** What has become of a job in one call of its handler. */
export interface ProcessedEnd {
  readonly id: string;
  /** Undefined for a job of a batch handler: it is decided after the call. */
  readonly outcome: AttemptOutcome | undefined;
  /** What the attempt has failed with. */
  readonly error: Error | undefined;
}

/** A call of a handler that is under way. */
export interface Processing {
  /** Calls the work at once, in the context of this attempt. */
  run(work: () => void): void;
  ended(jobs: readonly ProcessedEnd[]): void;
}

/** An attempt whose outcome is written down, or was lost. */
export interface SettledAttempt {
  readonly queue: string;
  readonly name: string;
  readonly outcome: AttemptOutcome;
}

/** A queue whose figures can be asked for. */
export interface ObservedQueue {
  /** The name of its database. */
  readonly database: string;
  /** What its tables' names begin with. */
  readonly prefix: string;
  /** At most some seconds old. Undefined where the database is away. Never rejects. */
  figures(): Promise<QueueFigures | undefined>;
}

/**
 * Is told of everything that is enqueued and run: for traces and metrics. `openTelemetry()` and `PrometheusMetrics` are
 * two. What one throws is logged, and touches no job.
 */
export interface Instrumentation {
  /** Jobs are about to be stored. Their payloads and options are checked. */
  send(operation: SendOperation): Sending;
  /** A handler is about to be called, or a job of it to fail without that. */
  process(operation: ProcessOperation): Processing;
  /** An attempt has come to its end. */
  settled(attempt: SettledAttempt): void;
  /** A `TableQueue` was made that has this instrumentation. */
  observe(queue: ObservedQueue): void;
}

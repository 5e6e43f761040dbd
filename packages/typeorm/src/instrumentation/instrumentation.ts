import type { QueueFigures } from './queue-figures.js';

/** An enqueue: the jobs that one call stores. */
export interface SendOperation {
  /** The queue of the jobs; undefined if they are of several queues, as in a group. */
  readonly queue: string | undefined;
  /** The name of the jobs; undefined if they have several names. */
  readonly name: string | undefined;
  /** The number of jobs. */
  readonly count: number;
}

/** An enqueue in progress. */
export interface Sending {
  /** Stored with each job, and passed to `process` when it runs. Undefined for no trace. */
  readonly trace: string | undefined;
  /** Calls `work` synchronously, in the context of the enqueue. */
  run(work: () => void): void;
  /**
   * The jobs are stored.
   *
   * @param id the id of a single job; that of the other job if its unique key was taken.
   */
  succeeded(id: string | undefined): void;
  /** The jobs are not stored. */
  failed(error: Error): void;
}

/** A job that a handler gets. */
export interface ProcessedJob {
  /** The id of the job. */
  readonly id: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** `Sending.trace` of its enqueue. */
  readonly trace: string | null;
}

/** A call of a handler. */
export interface ProcessOperation {
  /** The queue of the jobs. */
  readonly queue: string;
  /** The name of the jobs. */
  readonly name: string;
  /** The job, or the jobs of a batch. */
  readonly jobs: readonly ProcessedJob[];
  /** Whether it is a batch handler. */
  readonly isBatch: boolean;
}

/**
 * The outcome of an attempt. `expired`: the job has ended without one. `lost`: another worker has taken the job over.
 * `unknown`: the handler's transaction may or may not be committed.
 */
export type AttemptOutcome =
  | 'succeeded'
  | 'failed'
  | 'retried'
  | 'snoozed'
  | 'parked'
  | 'cancelled'
  | 'expired'
  | 'returned'
  | 'unhandled'
  | 'lost'
  | 'unknown';

/** The outcome of a job in a call of its handler. */
export interface ProcessedEnd {
  /** The id of the job. */
  readonly id: string;
  /** The outcome; undefined for a job of a batch, which is decided after the call. */
  readonly outcome: AttemptOutcome | undefined;
  /** The error of a failed attempt. */
  readonly error: Error | undefined;
}

/** A call of a handler in progress. */
export interface Processing {
  /** Calls `work` synchronously, in the context of the attempt. */
  run(work: () => void): void;
  /** The handler has returned or thrown. */
  ended(jobs: readonly ProcessedEnd[]): void;
}

/** A try of a durable job's step. */
export interface StepOperation {
  /** The queue of the job. */
  readonly queue: string;
  /** The name of the job. */
  readonly name: string;
  /** The id of the job. */
  readonly jobId: string;
  /** The name of the step. There can be many: a loop puts its items into them. */
  readonly step: string;
}

/** A step in progress. */
export interface Stepping {
  /** Calls `work` synchronously, in the context of the step. */
  run(work: () => void): void;
  /** The function of the step has returned, or has thrown this error. */
  ended(error: Error | undefined): void;
}

/** An attempt whose outcome is stored, or was lost. */
export interface EndedAttempt {
  /** The queue of the job. */
  readonly queue: string;
  /** The name of the job. */
  readonly name: string;
  /** The outcome of the attempt. */
  readonly outcome: AttemptOutcome;
}

/** A queue whose figures can be read. */
export interface ObservedQueue {
  /** The name of its database. */
  readonly database: string;
  /** The prefix of its tables' names. */
  readonly prefix: string;
  /** Returns figures that are at most five seconds old; undefined if the database is unavailable. Never rejects. */
  figures(): Promise<QueueFigures | undefined>;
}

/**
 * Receives every enqueue and every attempt, for traces and metrics: `openTelemetry()`, a `PrometheusMetrics`, or your
 * own. Its errors are logged and do not affect jobs.
 */
export interface Instrumentation {
  /** Called before jobs are stored, after their payloads and options are checked. */
  send(operation: SendOperation): Sending;
  /** Called before a handler is called, or before its job fails without a call. */
  process(operation: ProcessOperation): Processing;
  /** Called before the function of a step is called. */
  step(operation: StepOperation): Stepping;
  /** Called when the outcome of an attempt is stored. */
  recordOutcome(attempt: EndedAttempt): void;
  /** Called when a `TableQueue` is made with this instrumentation. */
  observe(queue: ObservedQueue): void;
}

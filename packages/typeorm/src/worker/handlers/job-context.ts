import type { QueueName } from '../../definition/queue-name.js';
import type { JobLog } from './job-log.js';

/** A job as handlers and events see it. */
export interface JobInfo {
  /** The id, a UUIDv7. */
  readonly id: string;
  readonly name: string;
  readonly queue: QueueName;
  readonly key: string | undefined;
  /** The tenant: the customer or account the job is for. Undefined without one. */
  readonly tenant: string | undefined;
  /** How often the job was claimed, including this time. With the id it is a fencing token for other systems. */
  readonly attempt: number;
  /** How many attempts have failed before this one. */
  readonly failures: number;
}

/** The job of a handler's call: its data, its abort signal and its progress. */
export interface JobContext extends JobInfo {
  /** When the job was enqueued, by the database's clock. */
  readonly createdAt: Date;
  /** When the job was due, by the database's clock. */
  readonly runAt: Date;
  /**
   * Aborted when the handler should end. The signal's reason is the cause:
   *
   * - `JobCancelledError`: the job was cancelled. It ends as cancelled if the handler throws, else it succeeds.
   * - `WorkerStoppingError`, `LeaseLostError`: if the handler throws, the job runs again, not counted as a failure. If
   *   it returns, the job succeeds, unless another worker has taken it over.
   * - `JobTimeoutError`: the attempt has failed, whatever the handler does.
   */
  readonly signal: AbortSignal;
  /**
   * Reports progress: any JSON value, which `JobSnapshot.progress` returns. Call it as often as you like: the last
   * value is stored at most twice a second, and with the job's outcome. It never throws. A value that is no JSON, or
   * larger than `maxPayloadBytes`, is logged and dropped.
   */
  readonly progress: (value: unknown) => void;
  /** The log of the job, which the dashboard and `queue.jobs.logs` show. Calls never wait and never throw. */
  readonly log: JobLog;
}

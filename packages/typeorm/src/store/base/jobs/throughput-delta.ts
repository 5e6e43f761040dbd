/**
 * The attempts of one queue that ended in a process since the last write, and the jobs that expired. Times in whole ms.
 */
export interface ThroughputDelta {
  readonly queue: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly retried: number;
  readonly expired: number;
  readonly latencySum: number;
  readonly latencyMax: number;
  readonly runSum: number;
  readonly runMax: number;
}

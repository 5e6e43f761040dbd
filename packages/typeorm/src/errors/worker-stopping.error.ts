import { TableQueueError } from './table-queue.error.js';

/** The reason of a job's `AbortSignal` when the shutdown deadline came first: the job is handed back, uncharged. */
export class WorkerStoppingError extends TableQueueError {
  constructor() {
    super('The worker stops. The job is handed back and run again by another worker; no failure is charged.');
  }
}

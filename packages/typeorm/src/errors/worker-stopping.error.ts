import { TableQueueError } from './table-queue.error.js';

/**
 * The reason of a job's `AbortSignal` at the end of `shutdownTimeout`. The job returns to the queue; no failure counts.
 */
export class WorkerStoppingError extends TableQueueError {
  constructor() {
    super(
      'The worker is stopping. The job returns to the queue and runs again on another worker; no failure is counted.',
    );
  }
}

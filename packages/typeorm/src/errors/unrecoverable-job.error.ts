import { TableQueueError } from './table-queue.error.js';

/** Thrown by a handler to fail the job at once, without a retry. */
export class UnrecoverableJobError extends TableQueueError {}

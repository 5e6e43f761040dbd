import { TableQueueError } from './table-queue.error.js';

/** Thrown by a handler: the job fails now, whatever attempts its retry policy has left. */
export class UnrecoverableJobError extends TableQueueError {}

import { TableQueueError } from './table-queue.error.js';

/** A worker was asked for something its present state does not allow. */
export class WorkerStateError extends TableQueueError {}

import { TableQueueError } from './table-queue.error.js';

/** A call that the current state of the worker does not allow, such as a second `start`. */
export class WorkerStateError extends TableQueueError {}

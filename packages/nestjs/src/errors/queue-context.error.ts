import { TableQueueError } from '@tablequeue/typeorm';

/** `QueueExecutionContext` was asked for what the call of a handler does not have. */
export class QueueContextError extends TableQueueError {}

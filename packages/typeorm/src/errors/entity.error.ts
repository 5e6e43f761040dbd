import { TableQueueError } from './table-queue.error.js';

/**
 * The data source does not have the queue's entities as they must be: they are missing, they are there for several
 * prefixes, or they were made for another type of database. The message says which, and what to change.
 */
export class EntityError extends TableQueueError {}

import { TableQueueError } from './table-queue.error.js';

/**
 * The queue's entities of the data source are missing, have several prefixes, or were made for another type of
 * database. The message names the cause and the remedy.
 */
export class EntityError extends TableQueueError {}

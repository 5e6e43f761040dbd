import { TableQueueError } from './table-queue.error.js';

/** A queue was made on a data source that is not connected yet, or was closed. */
export class DataSourceNotInitializedError extends TableQueueError {
  constructor() {
    super('The data source is not initialized. Call "await dataSource.initialize()" before making a TableQueue on it.');
  }
}

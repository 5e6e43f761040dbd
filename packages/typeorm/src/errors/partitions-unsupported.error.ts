import { TableQueueError } from './table-queue.error.js';

/** `partitionHistory` was used on SQLite, which has no partitions. */
export class PartitionsUnsupportedError extends TableQueueError {
  constructor(databaseType: string) {
    super(
      `"${databaseType}" has no day partitions, only MySQL and MariaDB have. ` +
        'Leave out partitionHistory: finished jobs are then deleted in batches.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/** Day partitions of the history were asked for on SQLite, which has none. */
export class PartitionsUnsupportedError extends TableQueueError {
  constructor(databaseType: string) {
    super(
      `The history cannot be in day partitions on "${databaseType}", only on MySQL and MariaDB. ` +
        'Leave partitionHistory out there: finished jobs are deleted in batches.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/**
 * So many finished jobs lie outside the day partitions of the history that the pruner does not move them: nobody could
 * finish a job meanwhile. Nothing was changed.
 */
export class UnpartitionedHistoryError extends TableQueueError {
  constructor(table: string, most: number) {
    super(
      `More than ${most} finished jobs in ${table} lie in no partition of a day. ` +
        'Call partitionHistory(queryRunner) once, at a quiet time: it copies them, and jobs cannot end meanwhile.',
    );
  }
}

import { TableQueueError } from './table-queue.error.js';

/**
 * Too many finished jobs are outside the day partitions for the pruner to move them, because no job can finish
 * meanwhile. Nothing was changed.
 */
export class UnpartitionedHistoryError extends TableQueueError {
  constructor(table: string, most: number) {
    super(
      `More than ${most} finished jobs in ${table} are outside the day partitions. ` +
        'Call partitionHistory(queryRunner) once, at a quiet time: it moves them, and no job can finish meanwhile.',
    );
  }
}

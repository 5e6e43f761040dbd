import { downTableQueue, upTableQueue } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

/** Removes what an earlier run has left: afterwards the queue's tables are there, and empty. */
export async function recreateTables(dataSource: DataSource): Promise<void> {
  const queryRunner = dataSource.createQueryRunner();
  // Only tables that are there can be dropped.
  await upTableQueue(queryRunner);
  await downTableQueue(queryRunner);
  await upTableQueue(queryRunner);
  await queryRunner.release();
}

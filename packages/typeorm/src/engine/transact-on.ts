import type { QueryRunner } from 'typeorm';

import type { TransactionEnd } from './engine.js';

/**
 * Runs work in a transaction on a query runner without one: see `Engine.transact`.
 *
 * @param commit commits the transaction.
 */
export async function transactOn(
  queryRunner: QueryRunner,
  work: (queryRunner: QueryRunner) => Promise<boolean>,
  commit: () => Promise<void> = () => queryRunner.commitTransaction(),
): Promise<TransactionEnd> {
  await queryRunner.startTransaction();
  let mayCommit: boolean;
  try {
    mayCommit = await work(queryRunner);
  } catch (error) {
    await rollBack(queryRunner);
    throw error;
  }
  if (!mayCommit) {
    await rollBack(queryRunner);
    return 'rolled back';
  }
  try {
    await commit();
    return 'committed';
  } catch (error) {
    // The connection broke, or a subscriber of the application failed after the COMMIT.
    await rollBack(queryRunner);
    return { unknown: error };
  }
}

/** If the ROLLBACK fails the connection is gone, and with it the transaction. */
async function rollBack(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.rollbackTransaction().catch(() => undefined);
}

import type { QueryRunner } from 'typeorm';

import type { Dialect } from '../engine/dialect.js';
import type { TransactionHandle } from '../engine/transaction-handle.js';
import type { Engine, ExecuteOptions, OperationFactory, TransactionEnd } from '../engine/engine.js';
import { transactOn } from '../engine/transact-on.js';

/**
 * Runs every operation in a test's transaction. It commits and retries nothing.
 *
 * Operations that start a transaction, `atomic: 'by operation'`, would commit the test's transaction: none runs on it.
 */
export class TransactionEngine implements Engine {
  constructor(
    private readonly application: Engine,
    private readonly queryRunner: QueryRunner,
  ) {}

  get dialect(): Dialect {
    return this.application.dialect;
  }

  get isSynchronous(): boolean {
    return this.application.isSynchronous;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  execute<T>(factory: OperationFactory<T>, { purpose }: ExecuteOptions): Promise<T> {
    return this.application.executeOn(this.queryRunner, factory, purpose);
  }

  executeOn<T>(handle: TransactionHandle, factory: OperationFactory<T>, purpose: string): Promise<T> {
    return this.application.executeOn(handle, factory, purpose);
  }

  /** Uses a savepoint, as TypeORM does for a transaction inside another. */
  transact(work: (queryRunner: QueryRunner) => Promise<boolean>): Promise<TransactionEnd> {
    return transactOn(this.queryRunner, work);
  }

  dedicated(): Engine {
    return this;
  }

  async skipsLocked(): Promise<boolean> {
    return false;
  }

  missingTables(): Promise<string[]> {
    return this.application.missingTables();
  }
}

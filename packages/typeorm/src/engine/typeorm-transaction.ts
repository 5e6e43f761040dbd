import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { subscribe } from './subscribe.js';

/**
 * A transaction of TypeORM, or a savepoint in it, in which a call has started. A call can wait for a schema or a codec
 * before its first statement. Meanwhile the transaction may end, and another one begin on the same query runner.
 */
export class TypeormTransaction {
  private hasEnded = false;
  /** What contains the changes of a released savepoint. */
  private outer: TypeormTransaction | undefined;

  private constructor(readonly queryRunner: QueryRunner) {}

  get isOpen(): boolean {
    if (this.outer) {
      return this.outer.isOpen;
    }
    return !this.hasEnded && this.queryRunner.isTransactionActive && !this.queryRunner.isReleased;
  }

  /** Observes the transactions that start from now on. */
  static follow(dataSource: DataSource): void {
    subscribe(dataSource, TypeormTransaction.subscriber);
  }

  /** Returns the innermost one that is open on a query runner with a transaction. */
  static current(dataSource: DataSource, queryRunner: QueryRunner): TypeormTransaction {
    TypeormTransaction.follow(dataSource);
    const open = TypeormTransaction.openOn(queryRunner);
    const innermost = open.at(-1);
    if (innermost?.isOpen) {
      return innermost;
    }
    // It began before the first call, or a subscriber of the application enqueues while it is being committed.
    const found = new TypeormTransaction(queryRunner);
    open.splice(Math.max(0, open.length - 1), 1, found);
    return found;
  }

  /** By query runner, the transaction and its open savepoints, the innermost last. */
  private static readonly open = new WeakMap<QueryRunner, TypeormTransaction[]>();

  private static readonly subscriber: EntitySubscriberInterface = {
    beforeTransactionStart({ queryRunner }) {
      TypeormTransaction.openOn(queryRunner).push(new TypeormTransaction(queryRunner));
    },
    // Before the statement: nothing may be sent behind it.
    beforeTransactionRollback({ queryRunner }) {
      TypeormTransaction.end(queryRunner);
    },
    afterTransactionRollback({ queryRunner }) {
      TypeormTransaction.end(queryRunner);
      TypeormTransaction.leave(queryRunner);
    },
    beforeTransactionCommit({ queryRunner }) {
      if (TypeormTransaction.openOn(queryRunner).length === 1) {
        TypeormTransaction.end(queryRunner);
      }
    },
    afterTransactionCommit({ queryRunner }) {
      TypeormTransaction.leave(queryRunner);
    },
  };

  private static openOn(queryRunner: QueryRunner): TypeormTransaction[] {
    let open = TypeormTransaction.open.get(queryRunner);
    if (!open) {
      open = [];
      TypeormTransaction.open.set(queryRunner, open);
    }
    return open;
  }

  private static end(queryRunner: QueryRunner): void {
    const innermost = TypeormTransaction.openOn(queryRunner).at(-1);
    if (innermost) {
      innermost.hasEnded = true;
    }
  }

  /** The innermost one has ended. If it was a savepoint that was released, what is around it decides. */
  private static leave(queryRunner: QueryRunner): void {
    const open = TypeormTransaction.openOn(queryRunner);
    const left = open.pop();
    if (!queryRunner.isTransactionActive) {
      open.forEach((each) => (each.hasEnded = true));
      open.length = 0;
    }
    if (!left || left.hasEnded) {
      return;
    }
    left.outer = open.at(-1);
    left.hasEnded = left.outer === undefined;
  }
}

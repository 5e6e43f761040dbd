import { AsyncLocalStorage } from 'node:async_hooks';

import type { DataSource, EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { dataSourceOf } from '../../engine/data-source-of.js';
import { isOwnTransaction } from '../../engine/own-transactions.js';
import { subscribe } from '../../engine/subscribe.js';
import { InvalidOptionError } from '../../errors/index.js';
import { oncePerDataSource } from '../once-per-data-source.js';

/** A transaction of the application. */
interface OpenTransaction {
  isOpen: boolean;
}

/**
 * Tracks the transactions of the application, to find calls inside a transaction that did not get its manager.
 *
 * TypeORM notifies subscribers of a transaction's start synchronously and in the asynchronous context of its caller.
 * What is stored in that context is visible to everything that the caller does from then on, and not to other requests.
 * The transaction counts as open when the database has started it: a call that is made in the same expression, as in
 * `Promise.all([transaction, enqueue])`, comes before that.
 */
export class AmbientTransactions {
  private static readonly one = oncePerDataSource((dataSource) => new AmbientTransactions(dataSource));

  private readonly context = new AsyncLocalStorage<OpenTransaction>();
  private readonly open = new WeakMap<QueryRunner, OpenTransaction>();
  private readonly subscriber: EntitySubscriberInterface = {
    beforeTransactionStart: ({ queryRunner }) => {
      if (isOwnTransaction(queryRunner)) {
        return;
      }
      let transaction = this.open.get(queryRunner);
      if (!transaction?.isOpen) {
        transaction = { isOpen: false };
        this.open.set(queryRunner, transaction);
      }
      this.context.enterWith(transaction);
    },
    afterTransactionStart: ({ queryRunner }) => {
      const transaction = this.open.get(queryRunner);
      if (transaction) {
        transaction.isOpen = true;
      }
    },
    afterTransactionCommit: ({ queryRunner }) => this.onEnd(queryRunner),
    afterTransactionRollback: ({ queryRunner }) => this.onEnd(queryRunner),
  };

  private constructor(private readonly dataSource: DataSource) {}

  static of(dataSource: DataSource): AmbientTransactions {
    return AmbientTransactions.one(dataSource);
  }

  /**
   * Starts tracking. The storage is used from the application's first transaction on, because before Node.js 24 it
   * makes every promise of the process slower. Promises made before that are not tracked. See docs/decisions/0057.
   *
   * @param exactly whether to use the storage at once, so that all promises are tracked.
   */
  follow(exactly: boolean): void {
    subscribe(this.dataSource, this.subscriber);
    if (exactly) {
      this.context.run({ isOpen: false }, () => undefined);
    }
  }

  /**
   * Returns the query runner of the current transaction: that of `manager`, which the application's function returned,
   * or that of the data source's manager, which typeorm-transactional replaces.
   *
   * @throws InvalidOptionError when the manager belongs to another data source.
   */
  current(manager: EntityManager | undefined): QueryRunner | undefined {
    const current = manager ?? this.dataSource.manager;
    if (dataSourceOf(current) !== this.dataSource) {
      throw new InvalidOptionError(
        'currentManager',
        '[EntityManager]',
        "a function that returns a manager of the queue's data source",
      );
    }
    return current.queryRunner?.isTransactionActive ? current.queryRunner : undefined;
  }

  /** Whether the caller has started a transaction that is still open. */
  get isInsideOpen(): boolean {
    // A data source that was destroyed and initialized again has lost its subscribers.
    subscribe(this.dataSource, this.subscriber);
    return this.context.getStore()?.isOpen ?? false;
  }

  private onEnd(queryRunner: QueryRunner): void {
    const transaction = this.open.get(queryRunner);
    // Releasing or rolling back a savepoint does not end the transaction around it.
    if (!transaction?.isOpen || queryRunner.isTransactionActive) {
      return;
    }
    transaction.isOpen = false;
  }
}

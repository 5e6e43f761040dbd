import { AsyncLocalStorage } from 'node:async_hooks';

import type { DataSource, EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { subscribe } from '../engine/subscribe.js';
import { InvalidOptionError } from '../errors/index.js';
import { onePerDataSource } from './one-per-data-source.js';

/** A transaction of the application's, from its beginning to its end. */
interface OpenTransaction {
  isOpen: boolean;
}

/**
 * Knows the transactions of the application that a call stands in without being handed one.
 *
 * TypeORM tells subscribers of a transaction's beginning in the same tick and asynchronous context as its caller, so what
 * is left there is seen by everything that the caller does from then on, and by nothing of other requests.
 */
export class AmbientTransactions {
  private static readonly one = onePerDataSource((dataSource) => new AmbientTransactions(dataSource));

  private readonly context = new AsyncLocalStorage<OpenTransaction>();
  private readonly open = new WeakMap<QueryRunner, OpenTransaction>();
  private openCount = 0;
  private readonly subscriber: EntitySubscriberInterface = {
    beforeTransactionStart: ({ queryRunner }) => {
      let transaction = this.open.get(queryRunner);
      if (!transaction?.isOpen) {
        transaction = { isOpen: true };
        this.open.set(queryRunner, transaction);
        this.openCount++;
      }
      this.context.enterWith(transaction);
    },
    afterTransactionCommit: ({ queryRunner }) => this.ended(queryRunner),
    afterTransactionRollback: ({ queryRunner }) => this.ended(queryRunner),
  };

  private constructor(private readonly dataSource: DataSource) {}

  /** The one of a data source. */
  static of(dataSource: DataSource): AmbientTransactions {
    const transactions = AmbientTransactions.one(dataSource);
    subscribe(dataSource, transactions.subscriber);
    return transactions;
  }

  /**
   * The transaction that a library has made the current one: `manager` of the application's own function, or the data
   * source's manager, which typeorm-transactional replaces.
   *
   * @throws InvalidOptionError when that manager belongs to another data source.
   */
  current(manager: EntityManager | undefined): QueryRunner | undefined {
    const { queryRunner, dataSource } = manager ?? this.dataSource.manager;
    if (dataSource !== this.dataSource) {
      throw new InvalidOptionError(
        'currentManager',
        '[EntityManager]',
        "one that returns a manager of the queue's data source",
      );
    }
    return queryRunner?.isTransactionActive ? queryRunner : undefined;
  }

  /** Whether the caller has begun a transaction that is still open. */
  get isBesideOne(): boolean {
    // A data source that was destroyed and initialised again has lost its subscribers.
    subscribe(this.dataSource, this.subscriber);
    return this.context.getStore()?.isOpen ?? false;
  }

  /**
   * While a storage is in use Node.js before 24 calls hooks for every promise of the process: a job without a transaction
   * cost its worker 28 to 34 instead of 24 to 25 µs (Node.js 20, 2026-11-20). So it is in use while a transaction is open.
   */
  private ended(queryRunner: QueryRunner): void {
    const transaction = this.open.get(queryRunner);
    // A savepoint that is released or rolled back ends nothing: the transaction around it is still active.
    if (!transaction?.isOpen || queryRunner.isTransactionActive) {
      return;
    }
    transaction.isOpen = false;
    if (--this.openCount === 0) {
      this.context.disable();
    }
  }
}

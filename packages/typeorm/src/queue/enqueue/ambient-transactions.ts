import { AsyncLocalStorage } from 'node:async_hooks';

import type { DataSource, EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { isOwnTransaction } from '../../engine/own-transactions.js';
import { subscribe } from '../../engine/subscribe.js';
import { InvalidOptionError } from '../../errors/index.js';
import { oncePerDataSource } from '../once-per-data-source.js';

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
  private static readonly one = oncePerDataSource((dataSource) => new AmbientTransactions(dataSource));

  /** Never taken out of use again: see `follow`. */
  private readonly context = new AsyncLocalStorage<OpenTransaction>();
  private readonly open = new WeakMap<QueryRunner, OpenTransaction>();
  private readonly subscriber: EntitySubscriberInterface = {
    beforeTransactionStart: ({ queryRunner }) => {
      if (isOwnTransaction(queryRunner)) {
        return;
      }
      let transaction = this.open.get(queryRunner);
      if (!transaction?.isOpen) {
        transaction = { isOpen: true };
        this.open.set(queryRunner, transaction);
      }
      this.context.enterWith(transaction);
    },
    afterTransactionCommit: ({ queryRunner }) => this.onEnd(queryRunner),
    afterTransactionRollback: ({ queryRunner }) => this.onEnd(queryRunner),
  };

  private constructor(private readonly dataSource: DataSource) {}

  /** The one of a data source. */
  static of(dataSource: DataSource): AmbientTransactions {
    return AmbientTransactions.one(dataSource);
  }

  /**
   * Sees transactions from now on.
   *
   * Before Node.js 24 a storage that is in use has hooks called for every promise of the process: a job cost its worker 28
   * to 34 instead of 24 to 25 µs (Node.js 20, 2026-11-20). So it is put to use by the application's first transaction.
   * But it follows no promise that was made before, and what the first caller leaves there others may see, for as long as
   * that transaction is open.
   *
   * @param exactly whether that must not happen: it is put to use at once.
   */
  follow(exactly: boolean): void {
    subscribe(this.dataSource, this.subscriber);
    if (exactly) {
      this.context.run({ isOpen: false }, () => undefined);
    }
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
  get isInsideOpen(): boolean {
    // A data source that was destroyed and initialised again has lost its subscribers.
    subscribe(this.dataSource, this.subscriber);
    return this.context.getStore()?.isOpen ?? false;
  }

  private onEnd(queryRunner: QueryRunner): void {
    const transaction = this.open.get(queryRunner);
    // A savepoint that is released or rolled back ends nothing: the transaction around it is still active.
    if (!transaction?.isOpen || queryRunner.isTransactionActive) {
      return;
    }
    transaction.isOpen = false;
  }
}

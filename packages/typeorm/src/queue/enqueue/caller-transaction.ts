import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

import { dataSourceOf } from '../../engine/data-source-of.js';
import { type ClientTransaction, type TransactionHandle, isOfClient, isOpen } from '../../engine/transaction-handle.js';
import { TypeormTransaction } from '../../engine/typeorm-transaction.js';
import { InvalidOptionError, OutsideTransactionError, TransactionEndedError } from '../../errors/index.js';
import type { QueueLogger } from '../../logger.js';
import { assertKnownOptions } from '../../options.js';
import { AmbientTransactions } from './ambient-transactions.js';

/**
 * The transaction of a call: pass one of the four. Without them the call is part of the current transaction of a
 * library (see `TableQueueOptions.currentManager`), or commits on its own.
 */
export interface TransactionOptions {
  /** The entity manager of an open transaction, as `dataSource.transaction` passes it. */
  readonly manager?: EntityManager;
  /** A query runner with an open transaction. */
  readonly queryRunner?: QueryRunner;
  /**
   * An open transaction of another client, as `knexTransaction` and its likes return it. Its database must be that of
   * the queue.
   */
  readonly via?: ClientTransaction;
  /** Whether the call commits on its own, also inside an open transaction, without a warning. Default: false. */
  readonly outsideTransaction?: boolean;
}

export const TRANSACTION_OPTIONS: readonly string[] = ['manager', 'queryRunner', 'via', 'outsideTransaction'];

/** Returns these options out of others. */
export function pickTransaction(options: TransactionOptions): TransactionOptions {
  const { manager, queryRunner, via, outsideTransaction } = options;
  return {
    ...(manager && { manager }),
    ...(queryRunner && { queryRunner }),
    ...(via !== undefined && { via }),
    ...(outsideTransaction !== undefined && { outsideTransaction }),
  };
}

/** The values of `TableQueueOptions.outsideTransaction`. */
export const OUTSIDE_TRANSACTION = ['warn', 'throw', 'allow'] as const;

/** How a queue finds the transaction of a call without `manager` and `queryRunner`. */
export interface AmbientOptions {
  readonly outsideTransaction: (typeof OUTSIDE_TRANSACTION)[number];
  readonly currentManager: (() => EntityManager | undefined) | undefined;
  readonly logger: QueueLogger;
}

/** Finds the transaction of a call. */
export class CallerTransaction {
  private readonly ambient: AmbientTransactions;
  private readonly warned = new Set<string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: AmbientOptions,
  ) {
    TypeormTransaction.follow(dataSource);
    this.ambient = AmbientTransactions.of(dataSource);
    if (options.outsideTransaction !== 'allow') {
      this.ambient.follow(options.outsideTransaction === 'throw');
    }
  }

  /**
   * Returns the transaction; undefined if the call is not part of one. A manager without a query
   * runner is that of the data source or of a repository, which commits each call.
   *
   * @throws InvalidOptionError if two options are given, or if one belongs to another data source.
   * @throws TransactionEndedError if `via` is known to have ended.
   * @throws UnknownOptionError
   */
  find(transaction: TransactionOptions): QueryRunner | ClientTransaction | undefined {
    assertKnownOptions(transaction, TRANSACTION_OPTIONS);
    const { manager, queryRunner, via, outsideTransaction = false } = transaction;
    if (typeof outsideTransaction !== 'boolean') {
      throw new InvalidOptionError('outsideTransaction', outsideTransaction, 'true or false');
    }
    if (manager && queryRunner) {
      throw new InvalidOptionError('queryRunner', '[QueryRunner]', 'left out where "manager" is given');
    }
    if (via !== undefined) {
      return this.checkedClient(transaction, via);
    }
    const given = manager ?? queryRunner;
    if (outsideTransaction) {
      if (given) {
        throw new InvalidOptionError('outsideTransaction', true, 'left out where "manager" or "queryRunner" is given');
      }
      return undefined;
    }
    if (!given) {
      return this.ambient.current(this.options.currentManager?.());
    }
    if (dataSourceOf(given) !== this.dataSource) {
      throw new InvalidOptionError(
        manager ? 'manager' : 'queryRunner',
        manager ? '[EntityManager]' : '[QueryRunner]',
        "one of the queue's own data source, so that the job is stored in the same database and transaction",
      );
    }
    const found = queryRunner ?? manager?.queryRunner;
    if (found?.isReleased) {
      throw withoutTransaction(transaction);
    }
    return found;
  }

  /**
   * The same for a call that changes something, and only until that transaction or savepoint ends. Without a
   * transaction, but inside an open one, the call is most likely a mistake.
   *
   * @param call what it does, for the warning. Each is logged once.
   * @throws OutsideTransactionError with `outsideTransaction: 'throw'`.
   * @throws InvalidOptionError if the transaction has ended, or never began: the call would commit on its own.
   */
  findForChange(transaction: TransactionOptions, call: string): TransactionHandle | undefined {
    const handle = this.find(transaction);
    if (handle && !isOpen(handle)) {
      throw withoutTransaction(transaction);
    }
    const isAllowed = this.options.outsideTransaction === 'allow' || transaction.outsideTransaction;
    if (!handle && !isAllowed && this.ambient.isInsideOpen) {
      this.onOutside(new OutsideTransactionError(call));
    }
    return handle && !isOfClient(handle) ? TypeormTransaction.current(this.dataSource, handle) : handle;
  }

  /** @throws InvalidOptionError, TransactionEndedError */
  private checkedClient({ manager, queryRunner, outsideTransaction }: TransactionOptions, via: ClientTransaction) {
    if (typeof via !== 'object' || via === null || !isOfClient(via) || typeof via.client !== 'string') {
      throw new InvalidOptionError('via', via, "made by a function of a client's sub-path, such as knexTransaction");
    }
    if (manager || queryRunner || outsideTransaction) {
      throw new InvalidOptionError('via', `[${via.client}]`, 'given alone, without another transaction');
    }
    const isSqlite = this.dataSource.options.type === 'better-sqlite3';
    if (isSqlite ? !via.sqlite : !via.run) {
      throw new InvalidOptionError('via', `[${via.client}]`, 'a transaction of the database in which the queue is');
    }
    if (via.isEnded) {
      throw new TransactionEndedError(via.client);
    }
    return via;
  }

  private onOutside(error: OutsideTransactionError): void {
    if (this.options.outsideTransaction === 'throw') {
      throw error;
    }
    if (!this.warned.has(error.call)) {
      this.warned.add(error.call);
      this.options.logger.warn(error.message);
    }
  }
}

function withoutTransaction({ queryRunner }: TransactionOptions): InvalidOptionError {
  return new InvalidOptionError(
    queryRunner ? 'queryRunner' : 'manager',
    queryRunner ? '[QueryRunner]' : '[EntityManager]',
    'that of an open transaction, started through TypeORM: await each call before its transaction ends, or leave the ' +
      'option out to commit the call on its own',
  );
}

import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

import { InvalidOptionError, OutsideTransactionError } from '../../errors/index.js';
import type { QueueLogger } from '../../logger.js';
import { assertKnownOptions } from '../../options.js';
import { AmbientTransactions } from './ambient-transactions.js';

/**
 * The transaction an operation is to be part of: one of the two. Without either it is part of a
 * transaction that a library has made the current one, or commits by itself.
 */
export interface TransactionOptions {
  /** The entity manager of an open transaction, as `dataSource.transaction` gives it. */
  readonly manager?: EntityManager;
  /** A query runner with an open transaction. */
  readonly queryRunner?: QueryRunner;
}

/** The names of those. */
export const TRANSACTION_OPTIONS: readonly string[] = ['manager', 'queryRunner'];

/** What is done about a call beside an open transaction. */
export const OUTSIDE_TRANSACTION = ['warn', 'throw', 'allow'] as const;

/** How a queue finds the transaction of a call that is handed none. */
export interface AmbientOptions {
  readonly outsideTransaction: (typeof OUTSIDE_TRANSACTION)[number];
  readonly currentManager: (() => EntityManager | undefined) | undefined;
  readonly logger: QueueLogger;
}

/** Finds the transaction that a call is to be part of. */
export class CallerTransaction {
  private readonly ambient: AmbientTransactions;
  private readonly warned = new Set<string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: AmbientOptions,
  ) {
    this.ambient = AmbientTransactions.of(dataSource);
    if (options.outsideTransaction !== 'allow') {
      this.ambient.follow(options.outsideTransaction === 'throw');
    }
  }

  /**
   * The query runner whose connection a call has to use; undefined where it stands outside every transaction. A manager
   * without a query runner is the data source's own: whatever it does commits by itself.
   *
   * @throws InvalidOptionError when both are given, or belong to another data source.
   */
  find({ manager, queryRunner, ...rest }: TransactionOptions): QueryRunner | undefined {
    assertKnownOptions(rest, TRANSACTION_OPTIONS);
    if (manager && queryRunner) {
      throw new InvalidOptionError('queryRunner', '[QueryRunner]', 'left out where "manager" is given');
    }
    const given = manager ?? queryRunner;
    if (!given) {
      return this.ambient.current(this.options.currentManager?.());
    }
    if (given.dataSource !== this.dataSource) {
      throw new InvalidOptionError(
        manager ? 'manager' : 'queryRunner',
        `[${given.constructor.name}]`,
        "one of the queue's own data source: the job has to be stored in the same database and transaction",
      );
    }
    return queryRunner ?? manager?.queryRunner;
  }

  /**
   * The same for a call that changes something. One that is handed no transaction, beside one that its caller has begun,
   * is most likely a mistake.
   *
   * @param call what it is, for the warning: told once.
   * @throws OutsideTransactionError where the queue is configured to.
   */
  findForChange(transaction: TransactionOptions, call: string): QueryRunner | undefined {
    const queryRunner = this.find(transaction);
    const isGiven = transaction.manager !== undefined || transaction.queryRunner !== undefined;
    if (!queryRunner && !isGiven && this.options.outsideTransaction !== 'allow' && this.ambient.isInsideOpen) {
      this.onOutside(new OutsideTransactionError(call));
    }
    return queryRunner;
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

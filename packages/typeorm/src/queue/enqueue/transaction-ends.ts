import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { subscribe } from '../../engine/subscribe.js';
import { allPromises } from '../../async/thenable.js';
import { oncePerDataSource } from '../once-per-data-source.js';

/** Where it returns a promise, whoever has ended the transaction waits for that. */
type Listener = (committed: boolean) => unknown;

/** Tells how the application's transactions end. */
export class TransactionEnds {
  /** Those of a data source. */
  static readonly of = oncePerDataSource((dataSource) => new TransactionEnds(dataSource));

  private readonly listeners = new WeakMap<QueryRunner, Listener[]>();

  private readonly subscriber: EntitySubscriberInterface = {
    afterTransactionCommit: ({ queryRunner }) => this.onEnd(queryRunner, true),
    afterTransactionRollback: ({ queryRunner }) => this.onEnd(queryRunner, false),
  };

  private constructor(private readonly dataSource: DataSource) {}

  /** Calls the listener once, when the transaction open on this query runner ends; at once where none is open. */
  once(queryRunner: QueryRunner, listener: Listener): void {
    if (!queryRunner.isTransactionActive) {
      listener(true);
      return;
    }
    subscribe(this.dataSource, this.subscriber);
    const others = this.listeners.get(queryRunner);
    if (others) {
      others.push(listener);
    } else {
      this.listeners.set(queryRunner, [listener]);
    }
  }

  private onEnd(queryRunner: QueryRunner, committed: boolean): Promise<unknown> | undefined {
    // A savepoint that is released or rolled back ends nothing: the transaction around it is still active.
    if (queryRunner.isTransactionActive) {
      return undefined;
    }
    const listeners = this.listeners.get(queryRunner) ?? [];
    this.listeners.delete(queryRunner);
    return allPromises(listeners.map((listener) => listener(committed)));
  }
}

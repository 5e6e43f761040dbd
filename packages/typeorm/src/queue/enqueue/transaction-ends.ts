import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { allPromises } from '../../async/thenable.js';
import { type TransactionHandle, isOfClient, isOpen, queryRunnerOf } from '../../engine/transaction-handle.js';
import { subscribe } from '../../engine/subscribe.js';
import { oncePerDataSource } from '../once-per-data-source.js';

/** If it returns a promise, the caller that ended the transaction waits for it. */
type Listener = (committed: boolean) => unknown;

/** Reports how the application's transactions end. */
export class TransactionEnds {
  static readonly of = oncePerDataSource((dataSource) => new TransactionEnds(dataSource));

  private readonly listeners = new WeakMap<QueryRunner, Listener[]>();

  private readonly subscriber: EntitySubscriberInterface = {
    afterTransactionCommit: ({ queryRunner }) => this.onEnd(queryRunner, true),
    afterTransactionRollback: ({ queryRunner }) => this.onEnd(queryRunner, false),
  };

  private constructor(private readonly dataSource: DataSource) {}

  /**
   * Calls the listener once, when the transaction ends; at once if it is not open. Never for clients that do not report
   * the end: polls and the reaper find what was committed.
   */
  once(handle: TransactionHandle, listener: Listener): void {
    if (!isOpen(handle)) {
      listener(true);
      return;
    }
    if (isOfClient(handle)) {
      handle.onEnd?.(listener);
      return;
    }
    subscribe(this.dataSource, this.subscriber);
    const queryRunner = queryRunnerOf(handle);
    const others = this.listeners.get(queryRunner);
    if (others) {
      others.push(listener);
    } else {
      this.listeners.set(queryRunner, [listener]);
    }
  }

  private onEnd(queryRunner: QueryRunner, committed: boolean): Promise<unknown> | undefined {
    // Releasing or rolling back a savepoint does not end the transaction around it.
    if (queryRunner.isTransactionActive) {
      return undefined;
    }
    const listeners = this.listeners.get(queryRunner) ?? [];
    this.listeners.delete(queryRunner);
    return allPromises(listeners.map((listener) => listener(committed)));
  }
}

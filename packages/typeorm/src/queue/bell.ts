import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { subscribe } from '../engine/subscribe.js';

type Listener = (queue: string) => void;

/**
 * Wakes the workers of this process when one of its own enqueues is committed: never before, and not after a rollback.
 * A hint, not a promise: workers also look by themselves.
 */
export class Bell {
  private static readonly bells = new WeakMap<DataSource, Bell>();

  private readonly listeners = new Set<Listener>();
  private readonly afterCommit = new WeakMap<QueryRunner, Set<string>>();

  private readonly subscriber: EntitySubscriberInterface = {
    afterTransactionCommit: ({ queryRunner }) => this.ended(queryRunner, true),
    afterTransactionRollback: ({ queryRunner }) => this.ended(queryRunner, false),
  };

  private constructor(private readonly dataSource: DataSource) {}

  /** The one bell of a data source. */
  static of(dataSource: DataSource): Bell {
    let bell = Bell.bells.get(dataSource);
    if (!bell) {
      bell = new Bell(dataSource);
      Bell.bells.set(dataSource, bell);
    }
    return bell;
  }

  /** Calls the listener for each ring, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  ring(queue: string): void {
    for (const listener of this.listeners) {
      listener(queue);
    }
  }

  /** Rings when the transaction open on this query runner is committed; at once where none is open. */
  ringAfterCommit(queryRunner: QueryRunner, queue: string): void {
    if (!queryRunner.isTransactionActive) {
      this.ring(queue);
      return;
    }
    subscribe(this.dataSource, this.subscriber);
    const queues = this.afterCommit.get(queryRunner) ?? new Set();
    this.afterCommit.set(queryRunner, queues.add(queue));
  }

  private ended(queryRunner: QueryRunner, committed: boolean): void {
    // A savepoint that is released or rolled back ends nothing: the transaction around it is still active.
    if (queryRunner.isTransactionActive) {
      return;
    }
    const queues = this.afterCommit.get(queryRunner);
    this.afterCommit.delete(queryRunner);
    if (committed && queues) {
      queues.forEach((queue) => this.ring(queue));
    }
  }
}

import type { DataSource } from 'typeorm';

import { Batcher } from '../../async/batcher.js';
import { retrySkipped } from '../../async/retry-skipped.js';
import { allPromises } from '../../async/thenable.js';
import type { Engine } from '../../engine/engine.js';
import { type TransactionHandle, isOpen } from '../../engine/transaction-handle.js';
import { type QueueLogger, logError } from '../../logger.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import { isOrdered } from '../../store/base/ordered/insert-ordered.js';
import { type OrderKey, distinctKeys, identityOf } from '../../store/base/ordered/order-key.js';
import { advanceKeys } from '../../store/ordered/advance-keys.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';
import { TransactionEnds } from '../enqueue/transaction-ends.js';

/**
 * Makes the next job of an order key its head, behind each commit of this process that stores or ends a job of the key.
 * The reaper does it for processes that have died.
 */
export class OrderKeyAdvancer {
  /** Resolves with whether the key was skipped. */
  private readonly batcher: Batcher<OrderKey, boolean>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly logger: QueueLogger,
  ) {
    this.batcher = new Batcher((keys) => this.advanceNow(keys), MOST_IDS, setImmediate);
  }

  /**
   * Jobs were stored: advances the keys of those with an order once the transaction of the handle is committed.
   * Without a transaction it advances them now, and the caller waits for it.
   */
  advanceAfterCommit(handle: TransactionHandle | undefined, jobs: readonly NewJob[]): Promise<void> | undefined {
    const keys = jobs.filter(isOrdered).map(({ name, order: { key } }) => ({ name, key }));
    return this.afterCommit(handle, keys);
  }

  /** The same for keys. */
  afterCommit(handle: TransactionHandle | undefined, keys: readonly OrderKey[]): Promise<void> | undefined {
    if (keys.length === 0) {
      return undefined;
    }
    if (!isOpen(handle)) {
      return this.advance(keys);
    }
    TransactionEnds.of(this.dataSource).once(handle, (committed) => {
      // Not awaited: the commit still has its connection, and this takes another one of the same pool.
      void (committed && this.advance(keys));
    });
    return undefined;
  }

  /** Resolves when the next jobs of the keys are heads, or are left to the reaper. Never fails. */
  async advance(keys: readonly OrderKey[]): Promise<void> {
    await Promise.all(distinctKeys(keys).map((key) => retrySkipped(() => this.batcher.add(key))));
  }

  private async advanceNow(keys: readonly OrderKey[]): Promise<boolean[]> {
    try {
      const options = { purpose: 'advance order keys', atomic: true, withoutGaps: true };
      const { ready, skipped } = await this.engine.execute((dialect) => advanceKeys(dialect, keys), options);
      await allPromises(noticesForReady(ready).map((notice) => this.notifier.notify(notice)));
      const identities = new Set(skipped.map(identityOf));
      return keys.map((key) => identities.has(identityOf(key)));
    } catch (error) {
      logError(this.logger, 'Order keys could not be advanced. The next reaper run advances them', error);
      return keys.map(() => false);
    }
  }
}

import type { DataSource } from 'typeorm';

import type { Engine } from '../../engine/engine.js';
import type { QueueLogger } from '../../logger.js';
import { type EndedJob, withDependents } from '../../store/base/jobs/ended-job.js';
import { EnqueueNotifier } from '../enqueue/enqueue-notifier.js';
import { CallbackTrigger } from '../groups/callback-trigger.js';
import { OrderKeyAdvancer } from './order-key-advancer.js';

/**
 * Continues with the jobs that depend on those that this process has ended: callbacks of groups, durable jobs that wait
 * for their children, and the next jobs of order keys.
 */
export class EndedJobs {
  readonly orderKeys: OrderKeyAdvancer;
  private readonly callbacks: CallbackTrigger;
  private readonly open = new Set<Promise<unknown>>();

  constructor(dataSource: DataSource, engine: Engine, logger: QueueLogger) {
    const notifier = EnqueueNotifier.of(dataSource);
    this.callbacks = new CallbackTrigger(engine, notifier, logger);
    this.orderKeys = new OrderKeyAdvancer(dataSource, engine, notifier, logger);
  }

  /** A job has ended, and that is committed. Never fails. */
  onEnded({ name, groupId, orderKey }: EndedJob): void {
    if (groupId !== null) {
      this.track(this.callbacks.memberEnded(groupId));
    }
    if (orderKey !== null) {
      this.track(this.orderKeys.advance([{ name, key: orderKey }]));
    }
  }

  /** The same for several jobs. Resolves when the others can go on, or are left to the reaper. */
  async onAllEnded(jobs: readonly EndedJob[]): Promise<void> {
    const ended = withDependents(jobs);
    await Promise.all([
      ...ended.flatMap(({ groupId }) => (groupId === null ? [] : [this.callbacks.memberEnded(groupId)])),
      this.orderKeys.advance(
        ended.flatMap(({ name, orderKey }) => (orderKey === null ? [] : [{ name, key: orderKey }])),
      ),
    ]);
  }

  /** Resolves when nothing is in progress. */
  async idle(): Promise<void> {
    while (this.open.size > 0) {
      await Promise.all(this.open);
    }
  }

  private track(work: Promise<unknown>): void {
    const tracked = work.finally(() => this.open.delete(tracked));
    this.open.add(tracked);
  }
}

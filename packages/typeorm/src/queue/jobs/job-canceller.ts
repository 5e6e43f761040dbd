import type { DataSource } from 'typeorm';

import type { Engine, OperationFactory } from '../../engine/engine.js';
import type { Cancelled } from '../../store/actions/cancel-jobs.js';
import type { CallerTransaction, TransactionOptions } from '../enqueue/caller-transaction.js';
import { type CancelCounts, type CancelFilter, cancelMany } from './cancel-many.js';
import type { CallbackTrigger } from '../groups/callback-trigger.js';
import { TransactionEnds } from '../enqueue/transaction-ends.js';

/** Cancels jobs, and releases what waits for the groups of those that were when that is committed. */
export class Cancellations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly engine: Engine,
    private readonly caller: CallerTransaction,
    private readonly callbacks: CallbackTrigger,
  ) {}

  /** In the caller's transaction, or in one of its own. */
  async run(transaction: TransactionOptions, factory: OperationFactory<Cancelled>): Promise<Cancelled> {
    const queryRunner = this.caller.findForChange(transaction, 'The cancellation of jobs');
    const purpose = 'cancel jobs';
    if (!queryRunner) {
      const done = await this.engine.execute(factory, { purpose, atomic: true });
      await this.callbacks.jobsEnded(done.groups);
      return done;
    }
    const done = await this.engine.executeOn(queryRunner, factory, purpose);
    if (done.groups.length > 0) {
      TransactionEnds.of(this.dataSource).once(queryRunner, (committed) => {
        void (committed && this.callbacks.jobsEnded(done.groups));
      });
    }
    return done;
  }

  /** In batches that each commit by themselves. */
  async many(filter: CancelFilter): Promise<CancelCounts> {
    const groups = new Map<string, Buffer>();
    const counts = await cancelMany(this.engine, filter, (ended) => {
      ended.forEach((group) => groups.set(group.toString('hex'), group));
    });
    await this.callbacks.jobsEnded([...groups.values()]);
    return counts;
  }
}

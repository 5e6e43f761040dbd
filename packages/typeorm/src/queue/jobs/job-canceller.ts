import type { DataSource } from 'typeorm';

import { type AnyJobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import { assertJobId, uuidToBytes } from '../../definition/job-id.js';
import { assertKey } from '../../definition/names.js';
import type { Engine, OperationFactory } from '../../engine/engine.js';
import { assertKnownOptions } from '../../options.js';
import { type Cancelled, cancelJobs } from '../../store/actions/cancel-jobs.js';
import type { EndedJob } from '../../store/base/jobs/ended-job.js';
import { jobIdsOfKey } from '../../store/reports/find-jobs.js';
import { type CallerTransaction, TRANSACTION_OPTIONS, type TransactionOptions } from '../enqueue/caller-transaction.js';
import { TransactionEnds } from '../enqueue/transaction-ends.js';
import { type CancelCounts, type CancelFilter, cancelMany } from './cancel-many.js';
import type { EndedJobs } from './ended-jobs.js';

/** Options of `cancelByKey`. */
export interface CancelByKeyOptions extends TransactionOptions {
  /** Cancels only the jobs of this definition. Default: every job with the key. */
  readonly only?: AnyJobDefinition;
}

/** Cancels jobs, and continues with those that depend on them when that is committed. */
export class JobCanceller {
  constructor(
    private readonly dataSource: DataSource,
    private readonly engine: Engine,
    private readonly caller: CallerTransaction,
    private readonly endedJobs: EndedJobs,
  ) {}

  async cancel(id: string, transaction: TransactionOptions): Promise<'cancelled' | 'requested' | undefined> {
    assertJobId(id);
    const bytes = uuidToBytes(id);
    const { cancelled, requested } = await this.run(transaction, (dialect) => cancelJobs(dialect, [bytes], null));
    return cancelled.length > 0 ? 'cancelled' : requested.length > 0 ? 'requested' : undefined;
  }

  async cancelByKey(key: string, options: CancelByKeyOptions): Promise<CancelCounts> {
    assertKey(key);
    assertKnownOptions(options, ['only', ...TRANSACTION_OPTIONS]);
    const { only, ...transaction } = options;
    if (only !== undefined) {
      assertJobDefinition('only', only);
    }
    const { cancelled, requested } = await this.run(transaction, function* (dialect) {
      const ids = yield* jobIdsOfKey(dialect, key);
      return yield* cancelJobs(dialect, ids, only?.name ?? null);
    });
    return { cancelled: cancelled.length, requested: requested.length };
  }

  /** In batches that each commit on their own. */
  async cancelMany(filter: CancelFilter): Promise<CancelCounts> {
    const all: EndedJob[] = [];
    const counts = await cancelMany(this.engine, filter, (ended) => {
      all.push(...ended);
    });
    await this.endedJobs.onAllEnded(all);
    return counts;
  }

  /** In the caller's transaction, or in one of its own. */
  private async run(transaction: TransactionOptions, factory: OperationFactory<Cancelled>): Promise<Cancelled> {
    const handle = this.caller.findForChange(transaction, 'The cancellation of jobs');
    const purpose = 'cancel jobs';
    if (!handle) {
      const done = await this.engine.execute(factory, { purpose, atomic: true });
      await this.endedJobs.onAllEnded(done.ended);
      return done;
    }
    const done = await this.engine.executeOn(handle, factory, purpose);
    if (done.ended.length > 0) {
      TransactionEnds.of(this.dataSource).once(handle, (committed) => {
        void (committed && this.endedJobs.onAllEnded(done.ended));
      });
    }
    return done;
  }
}

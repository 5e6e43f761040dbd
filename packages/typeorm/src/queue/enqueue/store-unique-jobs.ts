import type { QueryRunner } from 'typeorm';

import { uuidFromBytes } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import { type StoredJob, insertUniqueJobs, findDuplicates } from '../../store/enqueue/insert-unique-jobs.js';
import type { NewJob } from '../../store/enqueue/new-job.js';
import { type EnqueueNotifier, noticeFor } from './enqueue-notifier.js';
import type { EnqueuedJob } from './enqueued-job.js';

/**
 * Stores jobs of which some have a unique key. Each call has a transaction of its own, or is part of the caller's: calls
 * that shared one would wait for one another's keys.
 */
export class UniqueInserter {
  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
  ) {}

  /** @param jobs of one queue. */
  async insertAll(jobs: readonly NewJob[], queryRunner: QueryRunner | undefined): Promise<EnqueuedJob[]> {
    const purpose = 'enqueue unique jobs';
    let stored: readonly StoredJob[];
    if (queryRunner) {
      assertTransaction(queryRunner);
      stored = await this.engine.executeOn(queryRunner, (dialect) => insertUniqueJobs(dialect, jobs), purpose);
    } else {
      stored =
        (await this.engine.execute((dialect) => findDuplicates(dialect, jobs), { purpose, readOnly: true })) ??
        (await this.engine.execute((dialect, again) => insertUniqueJobs(dialect, jobs, again), {
          purpose,
          atomic: true,
        }));
    }
    await this.ring(
      jobs.filter((_job, index) => stored[index]?.created || stored[index]?.replaced),
      queryRunner,
    );
    return stored.map(({ id, created, replaced }) => ({ id: uuidFromBytes(id), created, replaced }));
  }

  private ring(jobs: readonly NewJob[], queryRunner: QueryRunner | undefined): Promise<unknown> | undefined {
    const [first] = jobs;
    if (!first) {
      return undefined;
    }
    const ring = noticeFor(first.queue, jobs);
    return queryRunner ? this.notifier.notifyAfterCommit(queryRunner, ring) : this.notifier.notify(ring);
  }
}

/** Without a transaction nothing would hold the key between the statements, and a crash would leave it without its job. */
function assertTransaction(queryRunner: QueryRunner): void {
  if (!queryRunner.isTransactionActive) {
    throw new InvalidOptionError(
      'unique',
      '[UniqueOptions]',
      'used with the manager or query runner of an open transaction, begun through TypeORM, or without either',
    );
  }
}

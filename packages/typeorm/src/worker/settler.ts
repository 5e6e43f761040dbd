import { setTimeout as sleep } from 'node:timers/promises';

import type { Engine } from '../engine/engine.js';
import { isDatabaseAway } from '../errors/index.js';
import { Gatherer } from '../gatherer.js';
import { type QueueLogger, logError } from '../logger.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import { type FinishedJob, finishJobs } from '../store/finish-jobs.js';
import { releaseJobs } from '../store/release-jobs.js';
import { type RescheduledJob, rescheduleJobs } from '../store/reschedule-jobs.js';
import type { RunOutcome } from './outcome.js';

/** How many jobs one transaction settles at most: it holds their locks until it commits. */
const BATCH = 100;
/** How long to wait when the database cannot be reached, in ms, before an outcome is written down again. */
const PAUSE = 500;

/**
 * Writes down what came of the jobs, in batches: while one is being written the next gathers.
 *
 * An outcome is worth keeping, so while the database is away it is tried again until the worker gives up. Then the
 * lease ends, and the job runs once more elsewhere: that is what "at least once" means. An outcome that the database
 * refuses, a result larger than its packet for one, is an error of `settle`.
 */
export class Settler {
  private readonly finished: Gatherer<FinishedJob, boolean>;
  private readonly rescheduled: Gatherer<RescheduledJob, boolean>;
  private readonly released: Gatherer<ClaimedJob, boolean>;
  private gaveUp = false;

  constructor(
    engine: Engine,
    private readonly logger: QueueLogger,
  ) {
    this.finished = new Gatherer(async (jobs) => {
      const held = new Set(
        await this.insist(() =>
          engine.execute((dialect, again) => finishJobs(dialect, jobs, again), {
            purpose: 'finish jobs',
            atomic: true,
          }),
        ),
      );
      return jobs.map((job) => held.has(job));
    }, BATCH);
    this.rescheduled = new Gatherer(async (jobs) => {
      const held = new Set(
        await this.insist(() =>
          engine.execute((dialect) => rescheduleJobs(dialect, jobs), { purpose: 'reschedule jobs', atomic: true }),
        ),
      );
      return jobs.map((job) => held.has(job));
    }, BATCH);
    this.released = new Gatherer(async (jobs) => {
      await this.insist(() => engine.execute((dialect) => releaseJobs(dialect, jobs), { purpose: 'hand jobs back' }));
      return jobs.map(() => true);
    }, BATCH);
  }

  /** @returns whether the job was still this worker's: false when another has taken it over. */
  async settle(job: ClaimedJob, outcome: RunOutcome): Promise<boolean> {
    switch (outcome.kind) {
      case 'succeeded':
        return this.finished.add({ job, state: 'succeeded', result: outcome.result, error: job.lastError });
      case 'failed':
        return this.finished.add({ job, state: 'failed', result: null, error: outcome.text });
      case 'retried':
        return this.rescheduled.add({ job, delay: outcome.delay, error: outcome.text });
      case 'unhandled':
        return this.rescheduled.add({ job, delay: outcome.delay, error: null });
      case 'released':
        return this.released.add(job);
    }
  }

  /** From now on an outcome that cannot be written down at once is given up. */
  giveUp(): void {
    this.gaveUp = true;
  }

  private async insist<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (this.gaveUp || !isDatabaseAway(error)) {
          throw error;
        }
        logError(this.logger, 'Outcomes of jobs could not be written down and are tried again', error);
        await sleep(PAUSE);
      }
    }
  }
}

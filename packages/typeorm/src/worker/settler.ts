import { setTimeout as sleep } from 'node:timers/promises';

import type { Engine } from '../engine/engine.js';
import { isDatabaseAway } from '../errors/index.js';
import { Gatherer } from '../gatherer.js';
import { type QueueLogger, logError } from '../logger.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import { dropJobs } from '../store/drop-jobs.js';
import { type FinishedJob, finishJobs } from '../store/finish-jobs.js';
import { releaseJobs } from '../store/release-jobs.js';
import { type RescheduledJob, rescheduleJobs } from '../store/reschedule-jobs.js';
import { toError } from './error-text.js';
import { type RunOutcome, reducedOutcome } from './outcome.js';

/** How many jobs one transaction settles at most: it holds their locks until it commits. */
const BATCH = 200;
/** How long to wait, in ms, before an outcome that could not be written down is tried again: at first, and at most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

/**
 * Writes down what came of the jobs, in batches: while one is being written the next gathers.
 *
 * An outcome is never dropped while the worker lives, or its job would count as running for as long: while the database
 * is away it is tried again, and what the database refuses is reduced to what it cannot refuse. When the worker gives up
 * its lease ends, and the job runs once more elsewhere: that is what "at least once" means.
 */
export class Settler {
  private readonly finished: Gatherer<FinishedJob, boolean>;
  private readonly dropped: Gatherer<ClaimedJob, boolean>;
  private readonly rescheduled: Gatherer<RescheduledJob, boolean>;
  private readonly released: Gatherer<ClaimedJob, boolean>;
  private gaveUp = false;

  constructor(
    engine: Engine,
    private readonly logger: QueueLogger,
  ) {
    this.finished = gatherer(async (jobs) => {
      const options = { purpose: 'finish jobs', atomic: true };
      const held = new Set(await engine.execute((dialect, again) => finishJobs(dialect, jobs, again), options));
      return jobs.map((job) => held.has(job));
    });
    this.dropped = gatherer(async (jobs) => {
      const options = { purpose: 'finish jobs', atomic: true };
      const held = new Set(await engine.execute((dialect, again) => dropJobs(dialect, jobs, again), options));
      return jobs.map((job) => held.has(job));
    });
    this.rescheduled = gatherer(async (jobs) => {
      const options = { purpose: 'reschedule jobs', atomic: true };
      const held = new Set(await engine.execute((dialect) => rescheduleJobs(dialect, jobs), options));
      return jobs.map((job) => held.has(job));
    });
    this.released = gatherer(async (jobs) => {
      await engine.execute((dialect) => releaseJobs(dialect, jobs), { purpose: 'hand jobs back' });
      return jobs.map(() => true);
    });
  }

  /**
   * @returns whether the job was still this worker's: false when another has taken it over.
   * @throws what the last try failed with, after `giveUp`.
   */
  settle(job: ClaimedJob, outcome: RunOutcome): Promise<boolean> {
    return this.write(job, outcome).catch((error: unknown) => this.tryAgain(job, outcome, error));
  }

  /** From now on an outcome that cannot be written down at once is given up. */
  giveUp(): void {
    this.gaveUp = true;
  }

  private async tryAgain(job: ClaimedJob, outcome: RunOutcome, failure: unknown): Promise<boolean> {
    let current = outcome;
    let error = failure;
    for (let pause = FIRST_PAUSE; !this.gaveUp; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      logError(this.logger, `The outcome of a job "${job.name}" could not be written down and is tried again`, error);
      if (!isDatabaseAway(error)) {
        current = reducedOutcome(current, toError(error));
      }
      await sleep(pause);
      try {
        return await this.write(job, current);
      } catch (again) {
        error = again;
      }
    }
    throw error;
  }

  private write(job: ClaimedJob, outcome: RunOutcome): Promise<boolean> {
    switch (outcome.kind) {
      case 'succeeded':
        return outcome.keep === 'none'
          ? this.dropped.add(job)
          : this.finished.add({ job, state: 'succeeded', result: outcome.result, error: outcome.note });
      case 'failed':
        return this.finished.add({ job, state: 'failed', result: null, error: outcome.text });
      case 'cancelled':
        return this.finished.add({ job, state: 'cancelled', result: null, error: outcome.text });
      case 'retried':
        return this.rescheduled.add({ job, delay: outcome.delay, error: outcome.text });
      case 'unhandled':
        return this.rescheduled.add({ job, delay: outcome.delay, error: null });
      case 'released':
        return this.released.add(job);
    }
  }
}

/** Nobody waits for an outcome to be written: jobs that end in the same turn of the event loop share a batch. */
function gatherer<Item>(write: (items: readonly Item[]) => Promise<readonly boolean[]>): Gatherer<Item, boolean> {
  return new Gatherer(write, BATCH, setImmediate);
}

import { setTimeout as sleep } from 'node:timers/promises';

import type { Engine } from '../engine/engine.js';
import { DatabaseBusyError, isDatabaseAway } from '../errors/index.js';
import { Gatherer } from '../gatherer.js';
import { type QueueLogger, logError } from '../logger.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import { dropJobs } from '../store/drop-jobs.js';
import { type FinishedJob, finishJobs } from '../store/finish-jobs.js';
import type { Finished } from '../store/finish-with-keys.js';
import { type RunState, findRun } from '../store/find-run.js';
import { releaseJobs } from '../store/release-jobs.js';
import { type RescheduledJob, rescheduleJobs } from '../store/reschedule-jobs.js';
import { toError } from './error-text.js';
import { type OpenOutcome, type RunOutcome, SUCCEEDED, reducedOutcome } from './outcome.js';
import { untilFree } from './until-free.js';

/** How many jobs one transaction settles at most: it holds their locks until it commits. */
const BATCH = 200;
/** How long to wait, in ms, before an outcome that could not be written down is tried again: at first, and at most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

/** What was written down of a run. */
export interface Settled {
  readonly outcome: OpenOutcome;
  readonly isOurs: boolean;
}

/**
 * Writes down what came of the jobs, in batches: while one is being written the next gathers.
 *
 * An outcome is never dropped while the worker lives, or its job would count as running for as long: while the database
 * is away it is tried again, and what the database refuses is reduced to what it cannot refuse. When the worker gives up
 * its lease ends, and the job runs once more elsewhere: that is what "at least once" means.
 */
export class Settler {
  private readonly finished: Gatherer<FinishedJob, Settlement>;
  private readonly dropped: Gatherer<ClaimedJob, Settlement>;
  private readonly rescheduled: Gatherer<RescheduledJob, boolean>;
  private readonly released: Gatherer<ClaimedJob, boolean>;
  private gaveUp = false;

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
  ) {
    this.finished = gatherer(async (jobs) => {
      const options = { purpose: 'finish jobs', atomic: true };
      const done = await engine.execute((dialect, again) => finishJobs(dialect, jobs, again), options);
      return settlementsOf(jobs, done);
    });
    this.dropped = gatherer(async (jobs) => {
      const options = { purpose: 'finish jobs', atomic: true };
      const done = await engine.execute((dialect, again) => dropJobs(dialect, jobs, again), options);
      return settlementsOf(jobs, done);
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
   * @param progress what its handler has told last and nobody has written down yet.
   * @returns what was written down, and whether the job was still this worker's: false when another has taken it over.
   * @throws what the last try failed with, after `giveUp`.
   */
  settle(job: ClaimedJob, outcome: RunOutcome, progress: string | null): Promise<Settled> {
    switch (outcome.kind) {
      case 'committed':
        return Promise.resolve({ outcome: SUCCEEDED, isOurs: outcome.isOurs });
      case 'in doubt':
        return this.settleDoubt(job, outcome, progress);
      default:
        return this.write(job, outcome, progress).then(
          (isOurs) => ({ outcome, isOurs }),
          (error: unknown) => this.writeAgain(job, outcome, progress, error),
        );
    }
  }

  /** From now on an outcome that cannot be written down at once is given up. */
  giveUp(): void {
    this.gaveUp = true;
  }

  private async settleDoubt(
    job: ClaimedJob,
    { keep, otherwise }: Extract<RunOutcome, { kind: 'in doubt' }>,
    progress: string | null,
  ): Promise<Settled> {
    const state = await this.findRun(job, keep).catch((error: unknown) => {
      return this.tryAgain(job, error, () => this.findRun(job, keep));
    });
    return state === 'running'
      ? this.settle(job, otherwise, progress)
      : { outcome: SUCCEEDED, isOurs: state === 'finished' };
  }

  private async writeAgain(
    job: ClaimedJob,
    outcome: OpenOutcome,
    progress: string | null,
    failure: unknown,
  ): Promise<Settled> {
    let current = outcome;
    let told = progress;
    const isOurs = await this.tryAgain(job, failure, (error) => {
      if (!isDatabaseAway(error)) {
        current = reducedOutcome(current, toError(error));
        told = null;
      }
      return this.write(job, current, told);
    });
    return { outcome: current, isOurs };
  }

  /** @param attempt is told why the last one failed. */
  private async tryAgain<T>(job: ClaimedJob, failure: unknown, attempt: (error: unknown) => Promise<T>): Promise<T> {
    let error = failure;
    for (let pause = FIRST_PAUSE; !this.gaveUp; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      logError(this.logger, `The outcome of a job "${job.name}" could not be written down and is tried again`, error);
      await sleep(pause);
      try {
        return await attempt(error);
      } catch (again) {
        error = again;
      }
    }
    throw error;
  }

  private findRun(job: ClaimedJob, keep: 'all' | 'none'): Promise<RunState> {
    const options = { purpose: 'look for a run', atomic: true };
    return this.engine.execute((dialect) => findRun(dialect, job, keep), options);
  }

  private finishAs(entry: FinishedJob): Promise<boolean> {
    return this.finish(entry.job, () => this.finished.add(entry));
  }

  private finish({ uniqueKey }: ClaimedJob, add: () => Promise<Settlement>): Promise<boolean> {
    const settlement = uniqueKey === null ? add() : untilFree(add, isBusy, () => this.assertNotGivenUp());
    return settlement.then((settled) => settled === 'ours');
  }

  private assertNotGivenUp(): void {
    if (this.gaveUp) {
      throw new DatabaseBusyError('finish a unique job', 'an open transaction has enqueued another with its key.');
    }
  }

  private write(job: ClaimedJob, outcome: OpenOutcome, progress: string | null): Promise<boolean> {
    switch (outcome.kind) {
      case 'succeeded':
        return outcome.keep === 'none'
          ? this.finish(job, () => this.dropped.add(job))
          : this.finishAs({ job, state: 'succeeded', result: outcome.result, error: outcome.note, progress });
      case 'failed':
        return this.finishAs({ job, state: 'failed', result: null, error: outcome.text, progress });
      case 'cancelled':
        return this.finishAs({ job, state: 'cancelled', result: null, error: outcome.text, progress });
      case 'retried':
        return this.rescheduled.add({ job, delay: outcome.delay, error: outcome.text, hasEnded: true });
      case 'snoozed':
        return this.rescheduled.add({ job, delay: outcome.delay, error: null, hasEnded: outcome.hasEnded });
      case 'unhandled':
        return this.rescheduled.add({ job, delay: outcome.delay, error: null, hasEnded: false });
      case 'released':
        return this.released.add(job);
    }
  }
}

/** What came of writing down that a job has finished. */
type Settlement = 'ours' | 'lost' | 'busy';

function isBusy(settlement: Settlement): boolean {
  return settlement === 'busy';
}

function settlementsOf<Item>(items: readonly Item[], { finished, busy }: Finished<Item>): Settlement[] {
  const [ours, later] = [new Set(finished), new Set(busy)];
  return items.map((item) => (ours.has(item) ? 'ours' : later.has(item) ? 'busy' : 'lost'));
}

/** Nobody waits for an outcome to be written: jobs that end in the same turn of the event loop share a batch. */
function gatherer<Item, Result>(write: (items: readonly Item[]) => Promise<readonly Result[]>): Gatherer<Item, Result> {
  return new Gatherer(write, BATCH, setImmediate);
}

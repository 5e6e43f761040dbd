import { AsyncResource } from 'node:async_hooks';

import type { Dialect } from '../../engine/dialect.js';
import type { Engine } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { DatabaseUnavailableError } from '../../errors/index.js';
import { Batcher, type Waiter } from '../../async/batcher.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import { deleteJobs } from '../../store/complete/delete-jobs.js';
import { type FinishedJob, finishJobs } from '../../store/complete/finish-jobs.js';
import type { Finished } from '../../store/complete/finish-with-keys.js';
import { MOST_CLAIMED } from '../../store/base/chunks.js';
import { returnJobs } from '../../store/complete/return-jobs.js';
import { type RescheduledJob, rescheduleJobs } from '../../store/complete/reschedule-jobs.js';
import type { Outcome } from '../../tables/history.js';
import type { PendingOutcome } from './outcome.js';

/**
 * How many jobs one transaction settles at most: all that a claim brings. The claim is what a drain waits for, and two
 * batches of half of it, beside the next one, took its time from that (see docs/decisions.md).
 */
const BATCH = MOST_CLAIMED;
/** The same of those to be run again, which take more statements: the locks of all last until the last one. */
const RESCHEDULED = 200;
/**
 * How many batches of a kind are written at a time: while one commits the server works on the next. And with how many jobs
 * another one begins at least: a worker of a concurrency of 200 never has more to write down beside a batch.
 */
const WRITERS = 2;
const ENOUGH = 200;

/**
 * What came of writing an outcome down. `lost`: another worker has the job, or nobody any more; `busy`: an open transaction
 * has locked its row or its unique key, and nothing was done.
 */
export type Completion = 'ours' | 'lost' | 'busy';

/** Writes outcomes down, once each, in batches: while one is being written the next gathers. */
export class CompletionBatcher {
  private readonly finished: Batcher<FinishedJob, Completion>;
  private readonly dropped: Batcher<ClaimedJob, Completion>;
  private readonly rescheduled: Batcher<RescheduledJob, Completion>;
  private readonly released: Batcher<ClaimedJob, Completion>;
  /** Jobs that an earlier try may have dropped: nothing tells it of a job of which nothing is kept. */
  private readonly maybeDropped = new WeakSet<ClaimedJob>();

  constructor(engine: Engine) {
    this.finished = gatherer(async (jobs) => {
      const options = { purpose: 'finish jobs', atomic: true };
      const { finished, busy } = await engine.execute((dialect) => finishJobs(dialect, jobs), options);
      return settlementsOf(jobs, finished, busy);
    });
    this.dropped = gatherer(async (jobs) => {
      const options = { purpose: 'finish jobs', atomic: true };
      const write = engine.execute((dialect, again) => this.drop(dialect, jobs, again), options);
      const { finished, busy } = await write.catch((error: unknown) => {
        // Nobody knows whether it took effect, and the next call knows nothing of this one.
        if (error instanceof DatabaseUnavailableError) {
          this.noteDropped(jobs);
        }
        throw error;
      });
      return settlementsOf(jobs, finished, busy);
    });
    this.rescheduled = gatherer(async (jobs) => {
      const options = { purpose: 'reschedule jobs', atomic: true };
      const { rescheduled, busy } = await engine.execute((dialect) => rescheduleJobs(dialect, jobs), options);
      return settlementsOf(jobs, rescheduled, busy);
    }, RESCHEDULED);
    this.released = gatherer(async (jobs) => {
      const options = { purpose: 'hand jobs back', atomic: true };
      const busy = await engine.execute((dialect) => returnJobs(dialect, jobs), options);
      // Whoever has one that is not ours any more needs it no less handed back.
      return settlementsOf(jobs, jobs, busy);
    });
  }

  /** Adds an outcome to the next batch of its kind. Nobody is told before it is written, or has failed. */
  add(job: ClaimedJob, outcome: PendingOutcome, progress: string | null, waiter: Waiter<Completion>): void {
    switch (outcome.kind) {
      case 'succeeded':
        if (outcome.keep === 'none') {
          this.dropped.addFor(job, waiter);
        } else {
          this.finished.addFor(new EndedJob(job, 'succeeded', outcome.result, outcome.note, progress), waiter);
        }
        break;
      case 'failed':
      case 'cancelled':
        this.finished.addFor(new EndedJob(job, outcome.kind, null, outcome.text, progress), waiter);
        break;
      case 'retried':
        this.rescheduled.addFor({ job, delay: outcome.delay, error: outcome.text, hasEnded: true }, waiter);
        break;
      case 'snoozed':
        this.rescheduled.addFor({ job, delay: outcome.delay, error: null, hasEnded: outcome.hasEnded }, waiter);
        break;
      case 'unhandled':
        this.rescheduled.addFor({ job, delay: outcome.delay, error: null, hasEnded: false }, waiter);
        break;
      case 'released':
        this.released.addFor(job, waiter);
        break;
    }
  }

  private drop(dialect: Dialect, jobs: readonly ClaimedJob[], again: boolean): Operation<Finished<ClaimedJob>> {
    if (again) {
      this.noteDropped(jobs);
    }
    return deleteJobs(dialect, jobs, (job) => this.maybeDropped.has(job));
  }

  private noteDropped(jobs: readonly ClaimedJob[]): void {
    jobs.forEach((job) => this.maybeDropped.add(job));
  }
}

/** A class because there is one for each running job, see `JobOfRow`. */
class EndedJob implements FinishedJob {
  constructor(
    readonly job: ClaimedJob,
    readonly state: Outcome,
    readonly result: string | null,
    readonly error: string | null,
    readonly progress: string | null,
  ) {}
}

function settlementsOf<Item>(
  items: readonly Item[],
  written: readonly Item[],
  busy: readonly Item[],
): readonly Completion[] {
  if (busy.length === 0 && written.length === items.length) {
    return items.map(() => 'ours');
  }
  const [ours, later] = [new Set(written), new Set(busy)];
  return items.map((item) => (later.has(item) ? 'busy' : ours.has(item) ? 'ours' : 'lost'));
}

/** Nobody waits for an outcome to be written: jobs that end in the same turn of the event loop share a batch. */
function gatherer<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  largest = BATCH,
): Batcher<Item, Result> {
  // Not in the asynchronous context of the job that happens to end first: whoever is told of another's end is no part of it.
  const neutral = new AsyncResource('TableQueueOutcomes');
  const schedule = (begin: () => void) => setImmediate(() => neutral.runInAsyncScope(begin));
  return new Batcher(write, largest, schedule, WRITERS, ENOUGH);
}

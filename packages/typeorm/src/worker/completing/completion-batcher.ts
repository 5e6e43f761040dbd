import { AsyncResource } from 'node:async_hooks';

import type { Dialect } from '../../engine/dialect.js';
import type { Engine } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { DatabaseUnavailableError } from '../../errors/index.js';
import { Batcher, type Waiter } from '../../async/batcher.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { deleteJobs } from '../../store/complete/delete-jobs.js';
import { type FinishedJob, finishJobs } from '../../store/complete/finish-jobs.js';
import { finishPlainJobs, isPlain } from '../../store/complete/finish-plain-jobs.js';
import type { Finished } from '../../store/complete/finish-with-keys.js';
import { MOST_CLAIMED } from '../../store/base/chunks.js';
import { returnJobs } from '../../store/complete/return-jobs.js';
import { type RescheduledJob, rescheduleJobs } from '../../store/complete/reschedule-jobs.js';
import { type ParkedJob, parkJobs } from '../../store/steps/park-jobs.js';
import type { Outcome } from '../../tables/job.js';
import type { PendingOutcome } from './outcome.js';

/** How many jobs one transaction completes at most: as many as a claim takes. See decision 0008. */
const COMPLETIONS_PER_BATCH = MOST_CLAIMED;
/** The same for jobs that run again. They take more statements, and all rows stay locked until the last one. */
const RESCHEDULES_PER_BATCH = 200;
/**
 * How many batches of a kind are written at a time: while one commits, the server works on the next. See decision 0014.
 */
const WRITERS = 2;
/** How many jobs a second batch needs to start beside the first. */
const SECOND_BATCH_FROM = 200;

/**
 * What storing an outcome found.
 *
 * - `ours`: it is stored.
 * - `lost`: another worker has the job, or the job is gone.
 * - `busy`: an open transaction has locked its row or its unique key. Nothing was stored.
 */
export type Completion = 'ours' | 'lost' | 'busy';

/** Stores outcomes in batches, one try each: while a batch is written the next one fills. */
export class CompletionBatcher {
  private readonly finished: Batcher<FinishedJob, Completion>;
  private readonly deleted: Batcher<ClaimedJob, Completion>;
  private readonly rescheduled: Batcher<RescheduledJob, Completion>;
  private readonly returned: Batcher<ClaimedJob, Completion>;
  private parked: Batcher<ParkedJob, Completion> | undefined;
  /** Jobs that an earlier try may have deleted: no row shows it when nothing is kept. */
  private readonly maybeDeleted = new WeakSet<ClaimedJob>();
  /** Jobs that an open transaction had locked: on MySQL each further statement that fails there takes a second. */
  private readonly locked = new WeakSet<ClaimedJob>();

  constructor(private readonly engine: Engine) {
    this.finished = batcherOf(async (jobs) => {
      const purpose = 'finish jobs';
      const plain = jobs.every((each) => isPlain(each) && !this.locked.has(each.job))
        ? await engine.execute((dialect) => finishPlainJobs(dialect, jobs), { purpose })
        : undefined;
      const { finished, busy } =
        plain ?? (await engine.execute((dialect) => finishJobs(dialect, jobs), { purpose, atomic: true }));
      busy.forEach(({ job }) => this.locked.add(job));
      return completionsOf(jobs, finished, busy);
    });
    this.deleted = batcherOf(async (jobs) => {
      const options = { purpose: 'finish jobs', atomic: true };
      const write = engine.execute((dialect, again) => this.deleteJobs(dialect, jobs, again), options);
      const { finished, busy } = await write.catch((error: unknown) => {
        // It may have taken effect, and the next call knows nothing of this one.
        if (error instanceof DatabaseUnavailableError) {
          this.markMaybeDeleted(jobs);
        }
        throw error;
      });
      return completionsOf(jobs, finished, busy);
    });
    this.rescheduled = batcherOf(async (jobs) => {
      const options = { purpose: 'reschedule jobs', atomic: true };
      const { rescheduled, busy } = await engine.execute((dialect) => rescheduleJobs(dialect, jobs), options);
      return completionsOf(jobs, rescheduled, busy);
    }, RESCHEDULES_PER_BATCH);
    this.returned = batcherOf(async (jobs) => {
      const options = { purpose: 'return jobs', atomic: true };
      const busy = await engine.execute((dialect) => returnJobs(dialect, jobs), options);
      // A job that another worker has taken over needs no return.
      return completionsOf(jobs, jobs, busy);
    });
  }

  /** Adds an outcome to the next batch of its kind. The waiter is called later, never in this call. */
  addOutcome(job: ClaimedJob, outcome: PendingOutcome, progress: string | null, waiter: Waiter<Completion>): void {
    switch (outcome.kind) {
      case 'succeeded':
        if (outcome.keep === 'none') {
          this.deleted.addFor(job, waiter);
        } else {
          this.finished.addFor(new EndedJob(job, 'succeeded', outcome.result, outcome.resultError, progress), waiter);
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
      case 'unhandled':
        this.rescheduled.addFor({ job, delay: outcome.delay, error: null, hasEnded: outcome.hasRun }, waiter);
        break;
      case 'parked':
        this.parked ??= this.createParked();
        this.parked.addFor({ job, waits: outcome.waits, error: outcome.text, progress }, waiter);
        break;
      case 'returned':
        this.returned.addFor(job, waiter);
        break;
    }
  }

  private createParked(): Batcher<ParkedJob, Completion> {
    return batcherOf(async (jobs) => {
      const options = { purpose: 'park jobs', atomic: true };
      const { parked, busy } = await this.engine.execute((dialect) => parkJobs(dialect, jobs), options);
      return completionsOf(jobs, parked, busy);
    }, RESCHEDULES_PER_BATCH);
  }

  private deleteJobs(dialect: Dialect, jobs: readonly ClaimedJob[], again: boolean): Operation<Finished<ClaimedJob>> {
    if (again) {
      this.markMaybeDeleted(jobs);
    }
    return deleteJobs(dialect, jobs, (job) => this.maybeDeleted.has(job));
  }

  private markMaybeDeleted(jobs: readonly ClaimedJob[]): void {
    jobs.forEach((job) => this.maybeDeleted.add(job));
  }
}

/** A class because there is one for each running job, see decision 0032. */
class EndedJob implements FinishedJob {
  constructor(
    readonly job: ClaimedJob,
    readonly state: Outcome,
    readonly result: string | null,
    readonly error: string | null,
    readonly progress: string | null,
  ) {}
}

function completionsOf<Item>(
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

/** Jobs that end in the same tick share a batch. */
function batcherOf<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  largest = COMPLETIONS_PER_BATCH,
): Batcher<Item, Result> {
  // Not in the asynchronous context of the job that happens to end first: listeners of other jobs must not inherit it.
  const neutral = new AsyncResource('TableQueueOutcomes');
  const schedule = (begin: () => void) => setImmediate(() => neutral.runInAsyncScope(begin));
  return new Batcher(write, largest, schedule, WRITERS, SECOND_BATCH_FROM);
}

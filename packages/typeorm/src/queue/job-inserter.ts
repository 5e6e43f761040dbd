import type { Engine } from '../engine/engine.js';
import { Gatherer } from '../gatherer.js';
import { inParts } from '../store/in-parts.js';
import { insertJobs } from '../store/insert-jobs.js';
import type { NewJob } from '../store/new-job.js';

/** How many jobs one INSERT stores at most. */
const MOST_JOBS = 500;

/** Cuts jobs into the parts one INSERT carries each. */
export function inStatements(jobs: readonly NewJob[]): Generator<NewJob[]> {
  return inParts(jobs, MOST_JOBS, ({ payload }) => payload?.length ?? 0);
}

/** Stores jobs outside the application's transactions: calls made at the same time share an INSERT and a commit. */
export class JobInserter {
  private readonly gatherer: Gatherer<NewJob, undefined>;

  constructor(private readonly engine: Engine) {
    this.gatherer = new Gatherer(async (jobs) => {
      await this.insertAll(jobs);
      return jobs.map(() => undefined);
    }, MOST_JOBS);
  }

  /** Resolves when the job is committed. */
  async insert(job: NewJob): Promise<void> {
    await this.gatherer.add(job);
  }

  /** Stores all of them or none: where one statement does not do, in a transaction. */
  async insertAll(jobs: readonly NewJob[]): Promise<void> {
    const parts = [...inStatements(jobs)];
    const atomic = parts.length > 1 || jobs.some(({ key }) => key !== null);
    await this.engine.execute(
      function* (dialect, again) {
        for (const part of parts) {
          yield* insertJobs(dialect, part, again);
        }
      },
      { purpose: 'enqueue jobs', atomic },
    );
  }
}

import type { Engine } from '../engine/engine.js';
import { Gatherer } from '../gatherer.js';
import { insertJobs } from '../store/insert-jobs.js';
import type { NewJob } from '../store/new-job.js';

/** The most one INSERT carries: well below max_allowed_packet, 16 MB on MariaDB, also where every byte is escaped. */
const LARGEST_STATEMENT = { jobs: 500, characters: 2 * 1024 * 1024 };

/** Cuts jobs into the parts one INSERT carries each. A payload above the limit gets a statement of its own. */
export function* inStatements(jobs: readonly NewJob[]): Generator<NewJob[]> {
  let part: NewJob[] = [];
  let characters = 0;
  for (const job of jobs) {
    const size = job.payload.length;
    if (
      part.length === LARGEST_STATEMENT.jobs ||
      (part.length > 0 && characters + size > LARGEST_STATEMENT.characters)
    ) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(job);
    characters += size;
  }
  if (part.length > 0) {
    yield part;
  }
}

/** Stores jobs outside the application's transactions: calls made at the same time share an INSERT and a commit. */
export class JobInserter {
  private readonly gatherer: Gatherer<NewJob, undefined>;

  constructor(private readonly engine: Engine) {
    this.gatherer = new Gatherer(async (jobs) => {
      await this.insertAll(jobs);
      return jobs.map(() => undefined);
    }, LARGEST_STATEMENT.jobs);
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

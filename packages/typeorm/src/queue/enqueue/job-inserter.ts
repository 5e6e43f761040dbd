import type { Engine } from '../../engine/engine.js';
import { Batcher } from '../../async/batcher.js';
import { insertJobs, takesTransaction } from '../../store/enqueue/insert-jobs.js';
import type { NewJob } from '../../store/enqueue/new-job.js';

/** Stores jobs outside the application's transactions: calls made at the same time share an INSERT and a commit. */
export class JobInserter {
  private readonly gatherer: Batcher<NewJob, undefined>;

  constructor(private readonly engine: Engine) {
    // A caller waits for each job: a turn of the event loop would be 7 % of the time it takes (MariaDB, 2026-11-20).
    // Where nothing else takes one it is needed, or a loop of enqueues would keep timers from running.
    const schedule = engine.isSynchronous ? setImmediate : (callback: () => void) => process.nextTick(callback);
    this.gatherer = new Batcher(
      async (jobs, again) => {
        await this.insertAll(jobs, again);
        return jobs.map(() => undefined);
      },
      engine.dialect.jobsPerInsert,
      schedule,
    );
  }

  /** Resolves when the job is committed. */
  insert(job: NewJob): Promise<undefined> {
    return this.gatherer.add(job);
  }

  /**
   * Stores all of them or none.
   *
   * @param wasTried some may be stored already.
   */
  insertAll(jobs: readonly NewJob[], wasTried = false): Promise<void> {
    return this.engine.execute((dialect, again) => insertJobs(dialect, jobs, again || wasTried), {
      purpose: 'enqueue jobs',
      atomic: takesTransaction(this.engine.dialect, jobs),
    });
  }
}

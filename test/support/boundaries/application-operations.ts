import { type JobDefinition, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueSchedule } from '@tablequeue/typeorm/internal';

import type { Stage } from './stage.js';

/** One operation whose statements are struck, one after the other. */
export interface BoundaryOperation {
  readonly name: string;
  /** Runs beside it would do its work: each has a database of its own. */
  readonly looksAtAllQueues?: boolean;
  /**
   * Whether code here gives up a silent connection at a statement. None does where the application's connections have
   * no deadline.
   */
  hasDeadline?(path: string): boolean;
  /**
   * Does it behind the proxy, and checks what must be true afterwards whatever was struck.
   *
   * @param arm from then on statements count.
   * @returns what has come of it, for the table in the docs, where that depends on the statement.
   */
  run(stage: Stage, arm: () => void): Promise<string>;
}

const jobOf = (stage: Stage): JobDefinition<void> => defineJob(`job-${stage.name}`, { queue: stage.name });

const liveJobs = async (stage: Stage) => (await stage.bench.liveJobs()).filter(({ queue }) => queue === stage.name);

async function failedJob(stage: Stage): Promise<string> {
  const worker = await stage.bench.work([
    jobHandler(jobOf(stage), () => {
      throw new UnrecoverableJobError('no');
    }),
  ]);
  const { id } = await stage.bench.queue.enqueue(jobOf(stage));
  await stage.untilJobIs(id, 'failed');
  await worker.stop();
  return id;
}

/** Whether the caller learned that it has worked. */
async function told(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function expectCount(what: string, count: number, ...allowed: number[]): void {
  if (!allowed.includes(count)) {
    throw new Error(`${count} ${what}, not ${allowed.join(' or ')}`);
  }
}

/** The promise of an enqueue outside of a transaction: the caller gets its jobs, and each exists once. */
function enqueueing(name: string, jobs: number, enqueue: (stage: Stage) => Promise<unknown>): BoundaryOperation {
  return {
    name,
    run: async (stage, arm) => {
      arm();
      await enqueue(stage);
      expectCount('jobs', (await liveJobs(stage)).length, jobs);
      return 'stored';
    },
  };
}

/** What an application does on its own connections, outside of workers. */
export const APPLICATION_OPERATIONS: readonly BoundaryOperation[] = [
  enqueueing('enqueue', 1, (stage) => stage.queue.enqueue(jobOf(stage))),
  enqueueing('enqueue with a key', 1, (stage) => stage.queue.enqueue(jobOf(stage), undefined, { key: stage.name })),
  enqueueing('enqueue with a unique key', 1, (stage) =>
    stage.queue.enqueue(jobOf(stage), undefined, { unique: { key: stage.name } }),
  ),
  enqueueing('enqueueMany', 3, (stage) => stage.queue.enqueueMany(jobOf(stage), [{}, {}, {}])),
  enqueueing('groups.enqueue', 3, (stage) =>
    stage.queue.groups.enqueue({
      jobs: [{ definition: jobOf(stage) }, { definition: jobOf(stage) }],
      onComplete: { definition: jobOf(stage) },
    }),
  ),
  {
    name: 'enqueue in a transaction',
    run: async (stage, arm) => {
      arm();
      const isCommitted = await told(
        stage.dataSource.transaction(async (manager) => {
          await manager.query(`INSERT INTO run (job, process) VALUES (${stage.name.slice(1)}, 0)`);
          await stage.queue.enqueue(jobOf(stage), undefined, { manager });
        }),
      );
      const runs = (await stage.bench.dataSource.query(
        `SELECT job FROM run WHERE job = ${stage.name.slice(1)}`,
      )) as unknown[];
      const jobs = (await liveJobs(stage)).length;
      expectCount('rows of the application', runs.length, jobs);
      expectCount('jobs', jobs, ...(isCommitted ? [1] : [0, 1]));
      return isCommitted
        ? 'committed'
        : jobs === 1
          ? 'committed; the caller gets an error'
          : 'nothing; the caller gets an error';
    },
  },
  {
    name: 'cancel',
    run: async (stage, arm) => {
      const { id } = await stage.bench.queue.enqueue(jobOf(stage), undefined, { key: stage.name });
      arm();
      const answer = await stage.queue.cancel(id);
      await stage.untilJobIs(id, 'cancelled');
      expectCount('jobs', (await liveJobs(stage)).length, 0);
      return answer === 'cancelled' ? 'cancelled' : 'cancelled; the caller gets "no such job"';
    },
  },
  {
    name: 'failed.retry',
    run: async (stage, arm) => {
      const id = await failedJob(stage);
      arm();
      const isRetried = await stage.queue.failed.retry(id);
      await stage.untilJobIs(id, 'ready');
      expectCount('jobs', (await liveJobs(stage)).length, 1);
      return isRetried ? 'ready' : 'ready; the caller gets "no such job"';
    },
  },
  {
    name: 'recurring.set',
    run: async (stage, arm) => {
      arm();
      await stage.queue.recurring.set(stage.name, jobOf(stage), undefined, { every: '1h' });
      const rows = await stage.bench.dataSource.getRepository(TableQueueSchedule).findBy({ name: stage.name });
      expectCount('schedules', rows.length, 1);
      return 'set';
    },
  },
];

import { type JobDefinition, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueSchedule } from '@tablequeue/typeorm/internal';

import type { OperationContext } from './operation-context.js';

/** An operation that is run once for each of its statements, with a fault at that statement. */
export interface BoundaryOperation {
  readonly name: string;
  /** Runs of it would affect each other, so each has its own database. */
  readonly usesAllQueues?: boolean;
  /**
   * Whether code here gives up a silent connection at a statement. None does where the application's connections have
   * no deadline.
   */
  hasDeadline?(path: string): boolean;
  /**
   * Runs it behind the proxy, and checks the state afterwards. The checks hold for a fault at any statement.
   *
   * @param arm called when the operation begins: only statements after it get a fault.
   * @returns its outcome, in the words of the table in docs/internals/crashes.md.
   */
  run(context: OperationContext, arm: () => void): Promise<string>;
}

const jobOf = (context: OperationContext): JobDefinition<void> =>
  defineJob(`job-${context.name}`, { queue: context.name });

const liveJobs = async (context: OperationContext) =>
  (await context.bench.liveJobs()).filter(({ queue }) => queue === context.name);

async function failedJob(context: OperationContext): Promise<string> {
  const worker = await context.bench.work([
    jobHandler(jobOf(context), () => {
      throw new UnrecoverableJobError('no');
    }),
  ]);
  const { id } = await context.bench.queue.enqueue(jobOf(context));
  await context.untilJobIs(id, 'failed');
  await worker.stop();
  return id;
}

/** Whether the call returns without an error. */
async function succeeds(work: Promise<unknown>): Promise<boolean> {
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
function enqueueing(
  name: string,
  jobs: number,
  enqueue: (context: OperationContext) => Promise<unknown>,
): BoundaryOperation {
  return {
    name,
    run: async (context, arm) => {
      arm();
      await enqueue(context);
      expectCount('jobs', (await liveJobs(context)).length, jobs);
      return 'stored';
    },
  };
}

/** Operations on the connections of the application, outside of workers. */
export const APPLICATION_OPERATIONS: readonly BoundaryOperation[] = [
  enqueueing('enqueue', 1, (context) => context.queue.enqueue(jobOf(context))),
  enqueueing('enqueue with a key', 1, (context) =>
    context.queue.enqueue(jobOf(context), undefined, { key: context.name }),
  ),
  enqueueing('enqueue with a unique key', 1, (context) =>
    context.queue.enqueue(jobOf(context), undefined, { unique: { key: context.name } }),
  ),
  enqueueing('enqueueMany', 3, (context) => context.queue.enqueueMany(jobOf(context), [{}, {}, {}])),
  enqueueing('groups.enqueue', 3, (context) =>
    context.queue.groups.enqueue({
      jobs: [{ definition: jobOf(context) }, { definition: jobOf(context) }],
      onComplete: { definition: jobOf(context) },
    }),
  ),
  {
    name: 'enqueue in a transaction',
    run: async (context, arm) => {
      arm();
      const isCommitted = await succeeds(
        context.dataSource.transaction(async (manager) => {
          await manager.query(`INSERT INTO run (job, process) VALUES (${context.name.slice(1)}, 0)`);
          await context.queue.enqueue(jobOf(context), undefined, { manager });
        }),
      );
      const runs = (await context.bench.dataSource.query(
        `SELECT job FROM run WHERE job = ${context.name.slice(1)}`,
      )) as unknown[];
      const jobs = (await liveJobs(context)).length;
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
    run: async (context, arm) => {
      const { id } = await context.bench.queue.enqueue(jobOf(context), undefined, { key: context.name });
      arm();
      const answer = await context.queue.cancel(id);
      await context.untilJobIs(id, 'cancelled');
      expectCount('jobs', (await liveJobs(context)).length, 0);
      return answer === 'cancelled' ? 'cancelled' : 'cancelled; the caller gets "no such job"';
    },
  },
  {
    name: 'failed.retry',
    run: async (context, arm) => {
      const id = await failedJob(context);
      arm();
      const isRetried = await context.queue.failed.retry(id);
      await context.untilJobIs(id, 'ready');
      expectCount('jobs', (await liveJobs(context)).length, 1);
      return isRetried ? 'ready' : 'ready; the caller gets "no such job"';
    },
  },
  {
    name: 'signal',
    run: async (context, arm) => {
      // Its worker takes the signal at once, perhaps before the caller tries again.
      const handler = jobHandler(jobOf(context), async (_payload, { waitForSignal, waitForAny }) => {
        await waitForSignal('go');
        return (await waitForAny({ again: 'go', end: 'end' }))?.name;
      });
      const worker = await context.bench.work([handler]);
      const { id } = await context.bench.queue.enqueue(jobOf(context));
      await context.untilJobIs(id, 'waiting');
      arm();
      const answer = await context.queue.signal(id, 'go');
      await context.bench.queue.signal(id, 'end');
      const { result } = await context.untilJobIs(id, 'succeeded');
      await worker.stop();
      expectCount('further signals', result === 'end' ? 0 : 1, 0);
      return answer === 'sent' ? 'sent' : String(answer);
    },
  },
  {
    name: 'recurring.set',
    run: async (context, arm) => {
      arm();
      await context.queue.recurring.set(context.name, jobOf(context), undefined, { every: '1h' });
      const rows = await context.bench.dataSource.getRepository(TableQueueSchedule).findBy({ name: context.name });
      expectCount('schedules', rows.length, 1);
      return 'set';
    },
  },
];

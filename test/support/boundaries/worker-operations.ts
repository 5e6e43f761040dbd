import {
  type JobContext,
  type JobDefinitionOptions,
  type WorkerOptions,
  defineEvent,
  defineJob,
  eventHandler,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { TableQueueWorkerRow } from '@tablequeue/typeorm/internal';

import { waitFor } from '../wait-for.js';
import type { BoundaryOperation } from './application-operations.js';
import { PATIENCE, type OperationContext } from './operation-context.js';

/** A job, and its expected end. */
interface Course {
  readonly name: string;
  readonly options?: JobDefinitionOptions<undefined, void>;
  readonly worker?: WorkerOptions;
  /** Its final state; undefined for a job that is deleted. */
  readonly end?: 'succeeded' | 'failed' | 'cancelled';
  /** How often its handler is called, wherever the fault is. */
  readonly runs: number;
  readonly handle: (context: OperationContext, job: JobContext, run: number) => unknown;
}

const COURSES: readonly Course[] = [
  { name: 'claim, complete', end: 'succeeded', runs: 1, handle: () => undefined },
  {
    name: 'claim, complete with a result, a key and a unique key',
    end: 'succeeded',
    runs: 1,
    handle: () => ({ done: true }),
  },
  { name: 'claim, complete and keep nothing', options: { keep: 'none' }, runs: 1, handle: () => undefined },
  {
    name: 'claim by compare-and-set',
    worker: { claimStrategy: 'compare-and-set' },
    end: 'succeeded',
    runs: 1,
    handle: () => undefined,
  },
  {
    name: 'claim by named lock',
    worker: { claimStrategy: 'named-lock' },
    end: 'succeeded',
    runs: 1,
    handle: () => undefined,
  },
  {
    name: 'retry, promote, complete',
    options: { retry: { attempts: 3, backoff: fixed(10) } },
    end: 'succeeded',
    runs: 2,
    handle: (_context, _job, run) => {
      if (run === 1) {
        throw new Error('not yet');
      }
    },
  },
  {
    name: 'fail permanently',
    options: { retry: { attempts: 1 } },
    end: 'failed',
    runs: 1,
    handle: () => {
      throw new Error('never');
    },
  },
  {
    name: 'progress, complete',
    end: 'succeeded',
    runs: 1,
    handle: async (context, job) => {
      job.progress({ half: true });
      await waitFor('it is stored, or given up', async () => {
        const { progress } = (await context.bench.queue.find(job.id)) ?? {};
        return progress !== undefined || context.logger.lines.some((line) => line.includes('progress'));
      });
    },
  },
  {
    name: 'cancel a running job',
    end: 'cancelled',
    runs: 1,
    handle: async (context, job) => {
      await context.bench.queue.cancel(job.id);
      await new Promise((_resolve, reject) => {
        job.signal.addEventListener('abort', () => reject(job.signal.reason as Error));
      });
    },
  },
];

function operationOf({
  name,
  options = {},
  worker: workerOptions,
  end,
  runs: expected,
  handle,
}: Course): BoundaryOperation {
  return {
    name,
    run: async (context, arm) => {
      const definition = defineJob(`job-${context.name}`, { ...options, queue: context.name });
      const other = defineJob(`other-${context.name}`, { queue: context.name });
      const attempts: number[] = [];
      const worker = await context.work(
        [
          jobHandler(definition, (_payload, job) => {
            attempts.push(job.attempt);
            return handle(context, job, attempts.length);
          }),
          jobHandler(other, () => undefined),
        ],
        workerOptions,
      );
      arm();
      const isKeyed = name.includes('key');
      const { id } = await context.bench.queue.enqueue(
        definition,
        undefined,
        isKeyed ? { key: context.name, unique: { key: context.name } } : {},
      );
      if (end) {
        await context.untilJobIs(id, end);
      } else {
        await waitFor(
          'nothing is left of it',
          async () => (await context.bench.queue.find(id)) === undefined,
          PATIENCE,
        );
      }
      await context.expectToWork(other);
      if (worker.activeJobs > 0) {
        await waitFor('the worker knows of no job any more', () => worker.activeJobs === 0);
      }
      if (attempts.length !== expected) {
        throw new Error(`its handler ran ${attempts.length} times, not ${expected}`);
      }
      return attempts.at(-1) === expected ? 'no effect' : 'claimed once more';
    },
  };
}

const handBack: BoundaryOperation = {
  name: 'return at a stop',
  run: async (context, arm) => {
    const definition = defineJob(`job-${context.name}`, { queue: context.name });
    let held = 0;
    await context.work([jobHandler(definition, () => new Promise(() => held++))], { shutdownTimeout: 0 });
    const { id } = await context.bench.queue.enqueue(definition);
    await waitFor('it runs', () => held === 1);
    const owners = async () => (await context.bench.rows(TableQueueWorkerRow)).map((row) => row.id);
    const before = await owners();
    arm();
    await context.stop();
    const handedBack = (await context.bench.queue.find(id))?.state === 'ready';
    const heir = await context.bench.work([jobHandler(definition, () => undefined)], {
      maintenance: { reaper: '100ms' },
    });
    // A job that it could not return waits for the end of its lease: the reaper finds that by the moved clock.
    const isLeft = (await owners()).some((owner) => before.includes(owner));
    if (!handedBack) {
      await waitFor('its worker is taken for dead', async () => {
        context.bench.clock.advance('1m');
        await heir.reaper.runOnce();
        return (await context.bench.queue.find(id))?.state === 'succeeded';
      });
    }
    await context.untilJobIs(id, 'succeeded');
    await heir.stop();
    return handedBack ? 'returned' : isLeft ? 'left for the reaper' : 'found by the reaper';
  },
};

const transactional: BoundaryOperation = {
  name: 'transactional handler',
  hasDeadline: (path) => !path.includes('SAVEPOINT') || path.endsWith('COMMIT'),
  run: async (context, arm) => {
    const definition = defineJob(`job-${context.name}`, {
      queue: context.name,
      retry: { attempts: 3, backoff: fixed(10) },
    });
    const follower = defineJob(`follower-${context.name}`, { queue: `${context.name}-next` });
    const other = defineJob(`other-${context.name}`, { queue: context.name });
    const number = Number(context.name.slice(1));
    let runs = 0;
    await context.work([
      transactionalHandler(definition, async (_payload, { manager }) => {
        runs++;
        await manager.query(`INSERT INTO run (job, process) VALUES (${number}, 0)`);
        await context.queue.enqueue(follower, undefined, { manager });
      }),
      jobHandler(other, () => undefined),
    ]);
    arm();
    const { id } = await context.bench.queue.enqueue(definition);
    await context.untilJobIs(id, 'succeeded');
    await context.expectToWork(other);
    const effects = (await context.bench.dataSource.query(`SELECT job FROM run WHERE job = ${number}`)) as unknown[];
    const followers = (await context.bench.liveJobs()).filter(({ queue }) => queue === `${context.name}-next`);
    if (effects.length !== 1 || followers.length !== 1) {
      throw new Error(`${effects.length} effects, ${followers.length} followers, not one each`);
    }
    return runs === 1 ? 'no effect' : 'run again; its effects exist once';
  },
};

const durable: BoundaryOperation = {
  name: 'durable steps',
  hasDeadline: (path) => !path.includes('SAVEPOINT') || path.endsWith('COMMIT'),
  run: async (context, arm) => {
    const definition = defineJob(`job-${context.name}`, { queue: context.name });
    const other = defineJob(`other-${context.name}`, { queue: context.name });
    const number = Number(context.name.slice(1));
    let calls = 0;
    let writes = 0;
    await context.work([
      jobHandler(definition, async (_payload, job) => {
        await job.step('call', () => ++calls);
        await job.step(
          'write',
          async (manager) => {
            writes++;
            await manager.query(`INSERT INTO run (job, process) VALUES (${number}, 0)`);
          },
          { transactional: true },
        );
        await job.sleep(10);
        await job.step('end', () => undefined);
      }),
      jobHandler(other, () => undefined),
    ]);
    arm();
    const { id } = await context.bench.queue.enqueue(definition);
    await context.untilJobIs(id, 'succeeded');
    await context.expectToWork(other);
    const effects = (await context.bench.dataSource.query(`SELECT job FROM run WHERE job = ${number}`)) as unknown[];
    if (effects.length !== 1 || calls !== 1) {
      throw new Error(`${effects.length} effects, ${calls} calls, not one each`);
    }
    return writes === 1 ? 'no effect' : 'run again; its effects exist once';
  },
};

const fanOut: BoundaryOperation = {
  name: 'fan out an event',
  usesAllQueues: true,
  run: async (context, arm) => {
    const event = defineEvent(`event-${context.name}`);
    const queue = `unpolled-${context.name}`;
    // One more than two parts have.
    const subscriptions = Array.from({ length: 1_001 }, (_, index) => `s${index}`);
    await context.bench.queue.control.pause(queue);
    await context.work(
      subscriptions.map((subscription) => eventHandler(event, { subscription, queue }, () => undefined)),
    );
    arm();
    const { id } = await context.bench.queue.publish(event);
    const { attempt } = await context.untilJobIs(id, 'succeeded');
    const jobs = (await context.bench.liveJobs()).filter((job) => job.queue === queue);
    const names = new Set(jobs.map(({ name }) => name));
    if (jobs.length !== subscriptions.length || names.size !== subscriptions.length) {
      throw new Error(`${jobs.length} jobs of ${names.size} subscriptions, not one of each`);
    }
    return attempt === 1 ? 'no effect' : 'claimed once more';
  },
};

const reap: BoundaryOperation = {
  name: 'reap',
  usesAllQueues: true,
  run: async (context, arm) => {
    const definition = defineJob(`job-${context.name}`, { queue: context.name });
    const { id } = await context.bench.queue.enqueue(definition);
    const owner = 1_000_000 + Number(context.name.slice(1));
    // A worker that has died long ago.
    await context.bench.dataSource.query(
      "UPDATE tq_job SET state = 'running', owner = ?, lane = ?, attempt = 1, claimed_at = 1 WHERE queue = ?",
      [owner, owner, context.name],
    );
    let runs = 0;
    const worker = await context.work([jobHandler(definition, () => void runs++)]);
    arm();
    const isFree = async () => {
      await worker.reaper.runOnce().catch(() => undefined);
      return (await context.bench.queue.find(id))?.state !== 'running' || runs > 0;
    };
    await waitFor('the job is free', isFree, PATIENCE);
    const job = await context.untilJobIs(id, 'succeeded');
    if (runs !== 1) {
      throw new Error(`it ran ${runs} times, not once`);
    }
    return job.attempt === 2 ? 'no effect' : 'claimed once more';
  },
};

/** Of these silent connections are tried too: each run lasts 5 s and more. */
export const SILENT_OPERATIONS: ReadonlySet<string> = new Set([
  'claim, complete',
  'retry, promote, complete',
  transactional.name,
  durable.name,
  reap.name,
]);

/** Operations of a worker. */
export const WORKER_OPERATIONS: readonly BoundaryOperation[] = [
  ...COURSES.map(operationOf),
  transactional,
  durable,
  fanOut,
  handBack,
  reap,
];

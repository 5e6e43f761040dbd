import { TableQueue, type TableQueueWorker, defineJob } from '@tablequeue/typeorm';
import { Reaper } from '@tablequeue/typeorm/internal';
import { TestingClock } from '@tablequeue/typeorm/testing';

import type { Metrics, Task } from '../client/task.js';
import { median } from '../statistics.js';
import { connectToEmpty, numberJob, storeNumbers } from './queue-database.js';
import { workOff } from './work-off.js';

const expiring = defineJob<number>('expiring', { queue: 'numbers', expiresIn: '1h' });
const CHUNK = 5_000;
const REAPS = 20;
const ROUNDS = 5;
const AT_ONCE = 20;
const LONGEST_QUEUE = 1_000_000;

/** What waiting jobs cost with `expiresIn` and without, and enqueues into a queue with a maximum length. */
export async function limits(task: Task): Promise<Metrics> {
  const { dataSource } = await connectToEmpty(task);
  const { waiting, enqueued } = task.counts;
  const clock = new TestingClock();
  const queue = new TableQueue(dataSource, { clock });
  const empty = async () => {
    for (const table of ['tq_job', 'tq_expiry', 'tq_queue']) {
      await dataSource.query(`DELETE FROM ${table}`);
    }
  };
  /** In ms. */
  const timeOf = async (act: () => Promise<unknown>) => {
    const since = performance.now();
    await act();
    return performance.now() - since;
  };
  const reap = async () => {
    const times: number[] = [];
    for (let run = 0; run < REAPS; run++) {
      times.push(await timeOf(() => new Reaper(queue.engine).runOnce()));
    }
    return median(times);
  };
  const storeExpiring = async () => {
    for (let from = 0; from < waiting; from += CHUNK) {
      await queue.enqueueMany(
        expiring,
        Array.from({ length: CHUNK }, (_, payload) => ({ payload })),
      );
    }
  };
  const drain = async (jobs: number): Promise<number> => {
    let worker: TableQueueWorker | undefined;
    const time = await timeOf(async () => (worker = await workOff(queue, jobs, 800)));
    await worker?.stop();
    return time;
  };
  const metrics: Record<string, number> = {};

  metrics['reaper, no jobs, ms'] = await reap();
  metrics['bulk enqueue without limits /s'] = perSecond(waiting, await timeOf(() => storeNumbers(queue, waiting)));
  metrics['reaper, none of the waiting jobs has a limit, ms'] = await reap();
  metrics['drain without limits /s'] = perSecond(waiting, await drain(waiting));
  await empty();

  metrics['bulk enqueue with limits /s'] = perSecond(waiting, await timeOf(storeExpiring));
  metrics['reaper, all of the waiting jobs have a limit, ms'] = await reap();
  clock.advance('2h');
  metrics['expired by the reaper /s'] = perSecond(waiting, await timeOf(() => new Reaper(queue.engine).runOnce()));
  await empty();

  await storeExpiring();
  clock.advance('2h');
  await queue.enqueue(numberJob, 0);
  metrics['job behind expired ones starts after, ms'] = await drain(1);
  await empty();

  metrics['enqueue, 20 callers, with maxLength / without'] = await enqueueRatio(queue, enqueued, empty, LONGEST_QUEUE);
  await storeNumbers(queue, waiting);
  await queue.control.limit('numbers', { maxLength: LONGEST_QUEUE });
  metrics['first enqueue into a long queue with maxLength, ms'] = await timeOf(() => queue.enqueue(numberJob, 0));
  metrics['second enqueue into it, ms'] = await timeOf(() => queue.enqueue(numberJob, 0));
  await dataSource.destroy();
  return metrics;
}

/** Rounds with and without, in turn. */
async function enqueueRatio(
  queue: TableQueue,
  jobs: number,
  empty: () => Promise<void>,
  maxLength: number,
): Promise<number> {
  const times = { without: [] as number[], limited: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of ['without', 'limited'] as const) {
      await empty();
      await queue.control.limit('numbers', kind === 'limited' ? { maxLength } : {});
      const since = performance.now();
      let next = 0;
      const call = async () => {
        while (next < jobs) {
          await queue.enqueue(numberJob, next++);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, call));
      // The first round is not counted: code is compiled.
      times[kind].push(...(round > 0 ? [performance.now() - since] : []));
    }
  }
  return median(times.limited) / median(times.without);
}

function perSecond(jobs: number, milliseconds: number): number {
  return (jobs / milliseconds) * 1000;
}

import type { EnqueuedJob, TableQueue } from '@tablequeue/typeorm';

import {
  EFFECTS,
  SIGNAL,
  SUBSCRIPTIONS,
  WRITE_EFFECT,
  batchJob,
  callbackJob,
  doomedJob,
  durableJob,
  effectJob,
  expiringJob,
  fleetingJob,
  flakyJob,
  limitedJob,
  memberJob,
  orderedJob,
  plainJob,
  ratedJob,
  soakEvent,
  tenantJob,
  uniqueJob,
} from './jobs.js';

/** Fewer than are enqueued in the time they take: some clash. */
const UNIQUE_KEYS = 5;
const TENANTS = 10;
/** A tenant of the queue with a rate has the jobs of so many acts, and then no more. */
const ACTS_OF_TENANT = 200;
const LONGEST_DELAY = 10_000;

/** What a producer has done, since it began. */
export interface Produced {
  /** Jobs that were stored. */
  stored: number;
  /** Unique jobs that were not, because another had their key. */
  clashes: number;
  /** Jobs that were cancelled before they ran. */
  cancelled: number;
}

/** One thing that a producer does, and how many jobs it is at most. */
export interface Act {
  /** Of all acts, how many are of this kind. */
  readonly weight: number;
  readonly jobs: number;
  readonly run: (number: number) => Promise<void>;
}

/** Some of everything. */
export function soakActs(queue: TableQueue, produced: Produced): readonly Act[] {
  const count = (...jobs: readonly EnqueuedJob[]) => {
    const stored = jobs.filter(({ created }) => created).length;
    produced.stored += stored;
    produced.clashes += jobs.length - stored;
  };
  const act = (weight: number, run: Act['run'], jobs = 1): Act => ({ weight, jobs, run });
  return [
    act(32, async (number) => count(await queue.enqueue(plainJob, number))),
    act(4, async (number) => count(await queue.enqueue(fleetingJob, number))),
    act(8, async (number) => {
      const delay = 1 + (number % LONGEST_DELAY);
      count(await queue.enqueue(plainJob, number, { delay, key: `order:${number}` }));
    }),
    act(2, async (number) => {
      const key = `unwanted:${number}`;
      count(await queue.enqueue(plainJob, number, { delay: LONGEST_DELAY, key }));
      const { cancelled } = await queue.cancelByKey(key);
      produced.cancelled += cancelled;
    }),
    act(7, async (number) => count(await queue.enqueue(flakyJob, number % 3))),
    act(1, async (number) => {
      const job = await queue.enqueue(flakyJob, number % 3);
      count(job);
      await queue.waitFor(job.id);
    }),
    act(2, async (number) => count(await queue.enqueue(doomedJob, number))),
    act(8, async (number) => {
      const unique = { key: `${number % UNIQUE_KEYS}`, while: 'unfinished' } as const;
      count(await queue.enqueue(uniqueJob, number, { unique }));
    }),
    act(7, async (number) => count(await queue.enqueue(effectJob, number))),
    act(7, async (number) => {
      const job = await queue.dataSource.transaction(async (manager) => {
        await manager.query(WRITE_EFFECT, [number % EFFECTS.rows]);
        return queue.enqueue(plainJob, number, { manager });
      });
      count(job);
    }),
    act(6, async (number) => count(await queue.enqueue(limitedJob, number))),
    act(5, async (number) => count(await queue.enqueue(tenantJob, number, { tenant: `tenant-${number % TENANTS}` }))),
    act(
      3,
      async (number) => {
        const job = { definition: memberJob, payload: number };
        await queue.groups.enqueue({
          jobs: [job, { definition: doomedJob, payload: number }, job],
          onComplete: { definition: callbackJob, payload: number },
        });
        produced.stored += 4;
      },
      4,
    ),
    act(5, async (number) => count(await queue.enqueue(orderedJob, number))),
    act(3, async (number) =>
      count(await queue.enqueue(expiringJob, number, { expiresIn: number % 2 ? '1ms' : '10s' })),
    ),
    act(3, async (number) => {
      count(await queue.enqueue(ratedJob, number, { tenant: `visitor-${Math.floor(number / ACTS_OF_TENANT)}` }));
    }),
    act(
      3,
      async (number) => {
        await queue.publish(soakEvent, number);
        produced.stored += 1 + SUBSCRIPTIONS.length;
      },
      1 + SUBSCRIPTIONS.length,
    ),
    act(
      3,
      async (number) => {
        const job = await queue.enqueue(durableJob, number);
        count(job);
        await queue.signal(job.id, SIGNAL, number);
      },
      2,
    ),
    act(1, async (number) => count(...(await queue.enqueueMany(batchJob, tenOf(number)))), 10),
    act(1, (number) => queue.lock(`soak-${number % UNIQUE_KEYS}`).withLock(() => undefined), 0),
  ];
}

function tenOf(payload: number): { payload: number }[] {
  return Array.from({ length: 10 }, () => ({ payload }));
}

import { afterEach, expect, jest, test } from '@jest/globals';

import type { ClaimedJob } from '../../store/base/claimed-job.js';
import { QueueClaimState } from './queue-claim-state.js';
import type { QueueCapacity } from '../running/capacity.js';

afterEach(() => void jest.restoreAllMocks());

/** A queue of a worker with so many queues, and its clock. */
function queueAmong(queues: number) {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const queue = new QueueClaimState({ queue: 'mail', free: 1 } as QueueCapacity, queues);
  const asksAt = (now: number) => {
    clock.mockReturnValue(now);
    return queue.beginLook().withTenants;
  };
  return { queue, asksAt };
}

test('each look of a worker with few queues asks for jobs of tenants', () => {
  const { asksAt } = queueAmong(8);
  expect([0, 10, 20].map(asksAt)).toEqual([true, true, true]);
});

test('looks of a worker with many queues ask every 1.5 s, or each time where they are rarer', () => {
  const { asksAt } = queueAmong(9);
  expect([0, 10, 1_499, 1_500, 1_510, 6_500, 11_500].map(asksAt)).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
    true,
  ]);
});

test('the look after a hint asks, and after jobs of tenants were seen each does', () => {
  const { queue, asksAt } = queueAmong(9);
  expect([asksAt(0), asksAt(10)]).toEqual([true, false]);
  queue.hinted();
  expect([asksAt(20), asksAt(30)]).toEqual([true, false]);
  queue.see({ ready: 0, first: undefined, hasTenants: true, dueIn: undefined }, 1);
  expect([asksAt(40), asksAt(50)]).toEqual([true, true]);
});

test('a queue becomes empty once, and not by a look that was sent while a job ran', () => {
  let areIdle = false;
  const queue = new QueueClaimState(
    {
      queue: 'mail',
      free: 1,
      get areIdle() {
        return areIdle;
      },
    } as QueueCapacity,
    1,
  );
  const becomesEmpty = (dueIn?: number) => {
    const sight = { ready: 0, first: undefined, hasTenants: false, dueIn };
    queue.see(sight, 1);
    return queue.becomesEmpty(sight);
  };
  const job = { id: Buffer.alloc(16), priority: 0, runAt: 0, tenant: null } as ClaimedJob;
  queue.claimed({ jobs: [job], admitted: 1, retryIn: undefined }, 1);
  queue.beginLook();
  areIdle = true;
  expect(becomesEmpty()).toBe(false);
  queue.beginLook();
  // One that is due is as good as ready.
  expect([becomesEmpty(0), becomesEmpty(1), becomesEmpty(1)]).toEqual([false, true, false]);
});

test('claims grow while they bring as many as they ask for', () => {
  const queue = new QueueClaimState({ queue: 'mail', free: 10_000 } as QueueCapacity, 1);
  const job = { id: Buffer.alloc(16), priority: 0, runAt: 0, tenant: null } as ClaimedJob;
  queue.rung({ ready: 10_000, lanes: [], lowestPriority: 0 });
  const wantedAfter = (brought: number) => {
    queue.claimed({ jobs: Array.from({ length: brought }, () => job), admitted: brought, retryIn: undefined }, brought);
    return queue.wanted;
  };
  expect([queue.wanted, ...[99, 100, 199, 200, 400, 800].map(wantedAfter)]).toEqual([
    100, 100, 200, 200, 400, 800, 800,
  ]);
});

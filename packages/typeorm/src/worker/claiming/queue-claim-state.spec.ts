import { afterEach, expect, jest, test } from '@jest/globals';

import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { QueueClaimState } from './queue-claim-state.js';
import { WorkerCapacity } from './worker-capacity.js';

afterEach(() => void jest.restoreAllMocks());

/** A queue of a worker. */
function queueOf(concurrency: number, queues = 1): QueueClaimState {
  return new QueueClaimState(
    { name: 'mail', concurrency, weight: 1 },
    new WorkerCapacity(Infinity, () => undefined),
    queues,
  );
}

/** A queue of a worker with so many queues, and its clock. */
function queueAmong(queues: number) {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const queue = queueOf(1, queues);
  const asksAt = (now: number) => {
    clock.mockReturnValue(now);
    return queue.beginPoll().withTenants;
  };
  return { queue, asksAt };
}

test('each poll of a worker with few queues asks for jobs of tenants', () => {
  const { asksAt } = queueAmong(8);
  expect([0, 10, 20].map(asksAt)).toEqual([true, true, true]);
});

test('polls of a worker with many queues ask every 1.5 s, or each time where they are rarer', () => {
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

test('the poll after requestTenantPoll asks, and after jobs of tenants were seen each does', () => {
  const { queue, asksAt } = queueAmong(9);
  expect([asksAt(0), asksAt(10)]).toEqual([true, false]);
  queue.requestTenantPoll();
  expect([asksAt(20), asksAt(30)]).toEqual([true, false]);
  queue.applyPoll({ ready: 0, first: undefined, hasTenants: true, dueIn: undefined }, 1);
  expect([asksAt(40), asksAt(50)]).toEqual([true, true]);
});

test('a queue becomes empty once, and not by a poll that was sent while a job ran', () => {
  const queue = queueOf(1);
  const becomesEmpty = (dueIn?: number) => {
    const result = { ready: 0, first: undefined, hasTenants: false, dueIn };
    queue.applyPoll(result, 1);
    return queue.becomesDrained(result);
  };
  const job = { id: Buffer.alloc(16), priority: 0, runAt: 0, tenant: null } as ClaimedJob;
  queue.applyClaim({ jobs: [job], expired: [], admitted: 1, retryIn: undefined }, 1);
  queue.acquireSlot();
  queue.beginPoll();
  queue.onHandlerEnded();
  queue.onCompleted();
  expect(becomesEmpty()).toBe(false);
  queue.beginPoll();
  // One that is due is as good as ready.
  expect([becomesEmpty(0), becomesEmpty(1), becomesEmpty(1)]).toEqual([false, true, false]);
});

test('the end of a job ends the pause at a limit of running jobs, and not the one at a rate', () => {
  const queue = queueOf(10);
  queue.mode = 'limited';
  const pauseAfter = (retryIn: number | undefined) => {
    queue.applyClaim({ jobs: [], expired: [], admitted: 0, retryIn }, 5);
    const before = queue.isThrottled;
    queue.onCompleted();
    return [before, queue.isThrottled];
  };
  expect(pauseAfter(undefined)).toEqual([true, false]);
  expect(pauseAfter(500)).toEqual([true, true]);
});

test('claims grow while they bring as many as they ask for', () => {
  const queue = queueOf(10_000);
  const job = { id: Buffer.alloc(16), priority: 0, runAt: 0, tenant: null } as ClaimedJob;
  queue.addEnqueued({ ready: 10_000, lanes: [], lowestPriority: 0 });
  const wantedAfter = (brought: number) => {
    queue.applyClaim(
      { jobs: Array.from({ length: brought }, () => job), expired: [], admitted: brought, retryIn: undefined },
      brought,
    );
    return queue.claimLimit;
  };
  expect([queue.claimLimit, ...[99, 100, 199, 200, 400, 800].map(wantedAfter)]).toEqual([
    100, 100, 200, 200, 400, 800, 800,
  ]);
});

test('the end of expired jobs ends the pause of a claim that has not used all it was admitted', () => {
  const queue = queueOf(10);
  const job = { id: Buffer.alloc(16), priority: 0, runAt: 0, tenant: null } as ClaimedJob;
  const isThrottledAfter = (jobs: readonly ClaimedJob[]) => {
    const claim = { jobs, expired: [Buffer.alloc(16)], admitted: 1, retryIn: 10_000 };
    queue.applyClaim(claim, 5);
    expect(queue.isThrottled).toBe(true);
    queue.onExpired(claim);
    return queue.isThrottled;
  };
  expect([isThrottledAfter([]), isThrottledAfter([job])]).toEqual([false, true]);
});

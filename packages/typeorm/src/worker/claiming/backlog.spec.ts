import { expect, test } from '@jest/globals';

import { LANE_HEAD, headOfPriority, sortKeyOf } from '../../store/base/order/sort-key.js';
import { Backlog } from './backlog.js';

const job = (runAt: number, priority = 0, number = 1) => ({ runAt, priority, id: Buffer.alloc(16, number) });
const place = (...args: Parameters<typeof job>) => sortKeyOf(job(...args));

test('a claim begins where the last one ended', () => {
  const backlog = new Backlog();
  backlog.applyPoll({ ready: 2, first: place(100) }, 1);
  expect([backlog.from, backlog.expected]).toEqual([place(100), Infinity]);
  backlog.applyClaim([job(100), job(120, 0, 5), job(120, 0, 7)], 3);
  expect([backlog.from, backlog.expected]).toEqual([place(120, 0, 7), Infinity]);
});

test('a claim of fewer jobs than requested means that there are no more', () => {
  const backlog = new Backlog();
  backlog.addEnqueued(5, 0);
  backlog.beginClaim();
  backlog.applyClaim([job(100)], 5);
  expect(backlog.expected).toBe(0);
  backlog.beginClaim();
  backlog.applyClaim([], 5);
  expect(backlog.from).toEqual(place(100));
});

test('asks for no more jobs than were seen or enqueued', () => {
  const backlog = new Backlog();
  backlog.applyPoll({ ready: 3, first: place(100) }, 10);
  backlog.addEnqueued(2, 0);
  expect(backlog.expected).toBe(5);
  backlog.applyClaim([job(100), job(101)], 2);
  expect(backlog.expected).toBe(3);
});

test('the mark goes back to a job that a poll finds before it, and to a higher priority that is enqueued', () => {
  const backlog = new Backlog();
  backlog.applyPoll({ ready: 1, first: place(100) }, 10);
  backlog.applyClaim([job(500, 0, 5)], 1);
  backlog.applyPoll({ ready: 1, first: place(500, 0, 4) }, 10);
  expect(backlog.from).toEqual(place(500, 0, 4));
  backlog.applyPoll({ ready: 1, first: place(300) }, 10);
  expect(backlog.from).toEqual(place(300));
  backlog.addEnqueued(1, 0);
  expect(backlog.from).toEqual(place(300));
  backlog.addEnqueued(1, -3);
  expect(backlog.from).toEqual(headOfPriority(-3));
  backlog.reset();
  expect(backlog.from).toEqual(LANE_HEAD);
});

test('jobs enqueued during a poll are claimed', () => {
  const backlog = new Backlog();
  backlog.applyClaim([job(500)], 10);
  backlog.beginPoll();
  backlog.addEnqueued(2, -3);
  backlog.applyPoll({ ready: 0, first: undefined }, 10);
  expect([backlog.from, backlog.expected]).toEqual([headOfPriority(-3), 2]);
});

test('jobs enqueued during a claim are claimed', () => {
  const backlog = new Backlog();
  backlog.addEnqueued(5, 0);
  backlog.beginClaim();
  backlog.addEnqueued(1, 0);
  backlog.applyClaim([job(500)], 5);
  expect([backlog.from, backlog.expected]).toEqual([place(500), 1]);
  backlog.beginClaim();
  backlog.addEnqueued(1, -3);
  backlog.applyClaim([job(510)], 1);
  expect([backlog.from, backlog.expected]).toEqual([headOfPriority(-3), 1]);
});

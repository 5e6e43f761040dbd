import { expect, test } from '@jest/globals';

import { LANE_HEAD, headOfPriority, sortKeyOf } from '../../store/base/sort-key.js';
import { Backlog } from './backlog.js';

const job = (runAt: number, priority = 0, number = 1) => ({ runAt, priority, id: Buffer.alloc(16, number) });
const place = (...args: Parameters<typeof job>) => sortKeyOf(job(...args));

test('a claim begins where the last one ended', () => {
  const backlog = new Backlog();
  backlog.see({ ready: 2, first: place(100) }, 1);
  expect([backlog.from, backlog.expected]).toEqual([place(100), Infinity]);
  backlog.claimed([job(100), job(120, 0, 5), job(120, 0, 7)], 3);
  expect([backlog.from, backlog.expected]).toEqual([place(120, 0, 7), Infinity]);
});

test('a claim that comes back short says that there is nothing more', () => {
  const backlog = new Backlog();
  backlog.add(5, 0);
  backlog.beginClaim();
  backlog.claimed([job(100)], 5);
  expect(backlog.expected).toBe(0);
  backlog.beginClaim();
  backlog.claimed([], 5);
  expect(backlog.from).toEqual(place(100));
});

test('asks for no more jobs than were seen or enqueued', () => {
  const backlog = new Backlog();
  backlog.see({ ready: 3, first: place(100) }, 10);
  backlog.add(2, 0);
  expect(backlog.expected).toBe(5);
  backlog.claimed([job(100), job(101)], 2);
  expect(backlog.expected).toBe(3);
});

test('the mark goes back to a job that a look finds before it, and to a higher priority that is enqueued', () => {
  const backlog = new Backlog();
  backlog.see({ ready: 1, first: place(100) }, 10);
  backlog.claimed([job(500, 0, 5)], 1);
  backlog.see({ ready: 1, first: place(500, 0, 4) }, 10);
  expect(backlog.from).toEqual(place(500, 0, 4));
  backlog.see({ ready: 1, first: place(300) }, 10);
  expect(backlog.from).toEqual(place(300));
  backlog.add(1, 0);
  expect(backlog.from).toEqual(place(300));
  backlog.add(1, -3);
  expect(backlog.from).toEqual(headOfPriority(-3));
  backlog.forget();
  expect(backlog.from).toEqual(LANE_HEAD);
});

test('what is enqueued while a look is under way is not forgotten', () => {
  const backlog = new Backlog();
  backlog.claimed([job(500)], 10);
  backlog.beginLook();
  backlog.add(2, -3);
  backlog.see({ ready: 0, first: undefined }, 10);
  expect([backlog.from, backlog.expected]).toEqual([headOfPriority(-3), 2]);
});

test('what is enqueued while a claim is under way is not forgotten', () => {
  const backlog = new Backlog();
  backlog.add(5, 0);
  backlog.beginClaim();
  backlog.add(1, 0);
  backlog.claimed([job(500)], 5);
  expect([backlog.from, backlog.expected]).toEqual([place(500), 1]);
  backlog.beginClaim();
  backlog.add(1, -3);
  backlog.claimed([job(510)], 1);
  expect([backlog.from, backlog.expected]).toEqual([headOfPriority(-3), 1]);
});

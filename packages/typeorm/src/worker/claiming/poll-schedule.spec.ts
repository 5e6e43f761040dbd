import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { PollSchedule } from './poll-schedule.js';

beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/** A poll that takes so many ms. */
function poll(schedule: PollSchedule, { cost, found }: { cost: number; found: boolean }): void {
  schedule.beginPoll();
  const since = performance.now();
  jest.advanceTimersByTime(cost);
  schedule.onPolled(since, found);
}

test('polls at once, soon after jobs for some seconds, and then rarely', () => {
  const schedule = new PollSchedule(250);
  expect(schedule.remaining(false) === 0).toBe(true);
  poll(schedule, { cost: 0, found: true });
  expect(schedule.remaining()).toBe(10);
  const waits = [];
  for (let elapsed = 0; elapsed < 8_000; elapsed += schedule.remaining()) {
    jest.advanceTimersByTime(schedule.remaining());
    poll(schedule, { cost: 0, found: false });
    waits.push(schedule.remaining());
  }
  expect(waits.slice(0, 490).every((wait) => wait === 10)).toBe(true);
  expect(waits.at(-1)).toBe(250);
});

test('slow polls increase the interval up to a bound; a single slow poll does not', () => {
  const schedule = new PollSchedule(250);
  poll(schedule, { cost: 2, found: true });
  poll(schedule, { cost: 400, found: true });
  expect(schedule.remaining()).toBe(20);
  for (let times = 0; times < 3; times++) {
    poll(schedule, { cost: 40, found: true });
  }
  expect(schedule.remaining()).toBe(400);
  for (let times = 0; times < 3; times++) {
    poll(schedule, { cost: 4_000, found: true });
  }
  expect(schedule.remaining()).toBe(1_500);
});

test('the jitter shortens a wait, never lengthens it', () => {
  for (const [random, wait] of [
    [0, 250],
    [0.5, 237.5],
    [1, 225],
  ] as const) {
    jest.mocked(Math.random).mockReturnValue(random);
    const schedule = new PollSchedule(250);
    poll(schedule, { cost: 0, found: false });
    expect(schedule.remaining()).toBeCloseTo(wait);
  }
});

test('after a failure of all workers their polls are spread over half a second', () => {
  for (const [random, wait] of [
    [0, 1_000],
    [1, 500],
  ] as const) {
    jest.mocked(Math.random).mockReturnValue(random);
    const schedule = new PollSchedule(250);
    schedule.onFailed();
    expect(schedule.remaining()).toBeCloseTo(wait);
  }
});

test('something that happens puts a poll forward, never off', () => {
  const schedule = new PollSchedule(60_000);
  poll(schedule, { cost: 1, found: false });
  schedule.pollWithin(70_000);
  expect(schedule.remaining()).toBe(60_000);
  schedule.pollWithin(500);
  expect(schedule.remaining()).toBe(500);
  schedule.pollWithin(0);
  expect(schedule.remaining()).toBe(10);
  schedule.pollSoon();
  expect(schedule.remaining()).toBe(10);
});

test('a notification during a poll causes another poll', () => {
  const schedule = new PollSchedule(60_000);
  schedule.beginPoll();
  const since = performance.now();
  schedule.pollWithin(30);
  jest.advanceTimersByTime(1);
  schedule.onPolled(since, false);
  expect(schedule.remaining()).toBe(29);
});

test('a worker with jobs to claim polls for others a few times a second', () => {
  const schedule = new PollSchedule(250);
  poll(schedule, { cost: 0, found: true });
  jest.advanceTimersByTime(99);
  expect([schedule.remaining(true) === 0, schedule.remaining(false) === 0]).toEqual([false, true]);
  jest.advanceTimersByTime(1);
  expect(schedule.remaining(true) === 0).toBe(true);
});

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

/** A look that takes so many ms. */
function look(schedule: PollSchedule, { cost, found }: { cost: number; found: boolean }): void {
  schedule.begin();
  const since = performance.now();
  jest.advanceTimersByTime(cost);
  schedule.looked(since, found);
}

test('looks at once, soon after jobs for some seconds, and then rarely', () => {
  const schedule = new PollSchedule(250);
  expect(schedule.isDue(false)).toBe(true);
  look(schedule, { cost: 0, found: true });
  expect(schedule.remaining()).toBe(10);
  const waits = [];
  for (let elapsed = 0; elapsed < 8_000; elapsed += schedule.remaining()) {
    jest.advanceTimersByTime(schedule.remaining());
    look(schedule, { cost: 0, found: false });
    waits.push(schedule.remaining());
  }
  expect(waits.slice(0, 490).every((wait) => wait === 10)).toBe(true);
  expect(waits.at(-1)).toBe(250);
});

test('what looks cost puts them apart, up to a bound; a single slow one does not', () => {
  const schedule = new PollSchedule(250);
  look(schedule, { cost: 2, found: true });
  look(schedule, { cost: 400, found: true });
  expect(schedule.remaining()).toBe(20);
  for (let times = 0; times < 3; times++) {
    look(schedule, { cost: 40, found: true });
  }
  expect(schedule.remaining()).toBe(400);
  for (let times = 0; times < 3; times++) {
    look(schedule, { cost: 4_000, found: true });
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
    look(schedule, { cost: 0, found: false });
    expect(schedule.remaining()).toBeCloseTo(wait);
  }
});

test('a database that has failed everybody at once is asked again over half a second', () => {
  for (const [random, wait] of [
    [0, 1_000],
    [1, 500],
  ] as const) {
    jest.mocked(Math.random).mockReturnValue(random);
    const schedule = new PollSchedule(250);
    schedule.failed();
    expect(schedule.remaining()).toBeCloseTo(wait);
  }
});

test('something that happens puts a look forward, never off', () => {
  const schedule = new PollSchedule(60_000);
  look(schedule, { cost: 1, found: false });
  schedule.within(70_000);
  expect(schedule.remaining()).toBe(60_000);
  schedule.within(500);
  expect(schedule.remaining()).toBe(500);
  schedule.within(0);
  expect(schedule.remaining()).toBe(10);
  schedule.sooner();
  expect(schedule.remaining()).toBe(10);
});

test('what happens while a look is under way is not forgotten', () => {
  const schedule = new PollSchedule(60_000);
  schedule.begin();
  const since = performance.now();
  schedule.within(30);
  jest.advanceTimersByTime(1);
  schedule.looked(since, false);
  expect(schedule.remaining()).toBe(29);
});

test('a worker with jobs to claim looks for others a few times a second', () => {
  const schedule = new PollSchedule(250);
  look(schedule, { cost: 0, found: true });
  jest.advanceTimersByTime(99);
  expect([schedule.isDue(true), schedule.isDue(false)]).toEqual([false, true]);
  jest.advanceTimersByTime(1);
  expect(schedule.isDue(true)).toBe(true);
});

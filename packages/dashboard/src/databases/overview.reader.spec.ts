import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { DatabaseUnavailableError } from '@tablequeue/typeorm';

import type { OverviewRead } from '../overview/read-overview.js';
import { LONGEST_READ, OverviewReader } from './overview.reader.js';

/** Reads in the order in which they began. The test ends them. */
let reads: ((read: OverviewRead) => void)[];
let reader: OverviewReader;
let events: unknown[];
beforeEach(() => {
  jest.useFakeTimers();
  reads = [];
  events = [];
  reader = new OverviewReader(() => new Promise((resolve) => reads.push(resolve)));
});
afterEach(() => {
  jest.useRealTimers();
});

/** Ends a read. Its overview has its number instead of figures. */
async function end(number: number): Promise<void> {
  reads[number]?.({ overview: number, queues: number } as unknown as OverviewRead);
  await jest.advanceTimersByTimeAsync(0);
}

const listen = () =>
  reader.subscribe({ onOverview: (overview) => events.push(overview), onError: (error) => events.push(error) });

test('a read that never ends is a problem, and the next ones are published', async () => {
  const stop = listen();
  await end(0);
  await jest.advanceTimersByTimeAsync(1_000);
  expect([reads.length, events]).toEqual([2, [0]]);
  await jest.advanceTimersByTimeAsync(LONGEST_READ);
  expect(events.slice(1)).toEqual([expect.any(DatabaseUnavailableError)]);
  expect(String(events[1])).toContain('Cannot read the overview: no answer within 10 s.');
  await jest.advanceTimersByTimeAsync(3_000);
  await end(2);
  expect(events.slice(2)).toEqual([2]);
  // It is older than the published one.
  await end(1);
  await jest.advanceTimersByTimeAsync(1_000);
  await end(3);
  expect(events.slice(3)).toEqual([3]);
  stop();
});

test('a read that ends too late is published, if none has ended since', async () => {
  const stop = listen();
  await jest.advanceTimersByTimeAsync(LONGEST_READ + 500);
  expect(events).toEqual([expect.any(DatabaseUnavailableError)]);
  await end(0);
  expect(events.slice(1)).toEqual([0]);
  stop();
});

test('a change does not wait for a read that never ends', async () => {
  void reader.latest();
  const fresh = reader.fresh();
  await jest.advanceTimersByTimeAsync(LONGEST_READ - 500);
  expect(reads).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(500);
  await end(1);
  expect(await fresh).toMatchObject({ overview: 1 });
});

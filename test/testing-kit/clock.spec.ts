import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { InvalidOptionError, TableQueue, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { TestingClock, TestingQueue, TestingStateError, inMemoryDatabase } from '@tablequeue/typeorm/testing';
import { DataSource } from 'typeorm';

const HOUR = 3_600_000;
const RealDate = Date;
const job = defineJob<string>('job', { retry: { attempts: 3, backoff: fixed(0) } });

let dataSource: DataSource;
beforeEach(async () => {
  dataSource = await new DataSource(inMemoryDatabase()).initialize();
});
afterEach(async () => {
  jest.useRealTimers();
  await dataSource.destroy();
});

function kit(clock: TestingClock, handle: (text: string) => void = () => undefined) {
  const queue = new TableQueue(dataSource, { clock });
  return { queue, testing: new TestingQueue(queue, [jobHandler(job, handle)]) };
}

/** Only `Date`, as in the docs. */
function fakeDate(now?: Date): void {
  jest.useFakeTimers({
    ...(now && { now }),
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
}

test('moves the time of the database, and Date where it is asked to', () => {
  const clock = new TestingClock();
  clock.advance('1h');
  expect(clock.shift).toBe(HOUR);
  expect(() => clock.advance('soon' as never)).toThrow(InvalidOptionError);
  expect(Date).toBe(RealDate);

  const both = new TestingClock({ date: true });
  expect(Date).toBe(RealDate);
  const before = new Date();
  both.advance('1h');
  both.advance(5);
  const since = performance.now();
  const { shift } = both;
  expect(shift).toBeGreaterThanOrEqual(HOUR + 5);
  expect(shift).toBeLessThanOrEqual(HOUR + 6 + Math.ceil(performance.now() - since));
  expect(Date.now() - before.getTime()).toBeGreaterThanOrEqual(HOUR + 5);
  const real = RealDate.now();
  expect(new Date().getTime() - real).toBeGreaterThanOrEqual(HOUR + 5);
  // As text it has no milliseconds.
  expect(new RealDate(Date()).getTime() - real).toBeGreaterThan(HOUR - 1000);
  // All else is as it was.
  expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
  expect(new Date(2026, 0, 1)).toEqual(new RealDate(2026, 0, 1));
  expect(before).toBeInstanceOf(Date);
  expect(new Date()).toBeInstanceOf(RealDate);
  expect(Date.UTC(2026, 0)).toBe(RealDate.UTC(2026, 0));
  class Day extends Date {}
  expect(new Day(0)).toBeInstanceOf(Day);
  both.restore();
  both.restore();
  expect(Date).toBe(RealDate);
  expect(both.shift).toBe(HOUR + 5);
});

test('the database follows a Date that was replaced, also to the past', async () => {
  fakeDate(new Date('2030-01-01T00:00:00Z'));
  const { queue, testing } = kit(new TestingClock());
  const { id } = await queue.enqueue(job, 'later', { runAt: new Date(Date.now() + HOUR) });
  expect((await queue.find(id))?.createdAt.toISOString()).toMatch(/^2030-01-01T00:00:0/);
  expect(await testing.drain()).toEqual([]);
  jest.setSystemTime(new Date('2030-01-01T01:00:00Z'));
  expect(await testing.drain()).toMatchObject([{ id, outcome: 'succeeded' }]);
  // The shift of the testing clock is added.
  await queue.enqueue(job, 'delayed', { delay: '1h' });
  testing.clock.advance('1h');
  expect(await testing.drain()).toHaveLength(1);
  jest.setSystemTime(new Date('2020-01-01T00:00:00Z'));
  const old = await queue.enqueue(job, 'old');
  expect((await queue.find(old.id))?.createdAt.getUTCFullYear()).toBe(2020);
  jest.useRealTimers();
  expect(testing.clock.shift).toBe(HOUR);
});

test('while Date is frozen the time of the database advances, so that a retry becomes due', async () => {
  fakeDate();
  let attempts = 0;
  const { queue, testing } = kit(new TestingClock(), () => {
    if (++attempts < 3) {
      throw new Error('again');
    }
  });
  for (let round = 0; round < 20; round++) {
    attempts = 0;
    await queue.enqueue(job, 'retried at once');
    expect(await testing.drain({ failures: 'return' })).toHaveLength(3);
  }
});

test('does not move a Date that something else has replaced since', () => {
  const clock = new TestingClock({ date: true });
  clock.advance('1h');
  fakeDate();
  expect(() => clock.advance('1h')).toThrow(TestingStateError);
  jest.useRealTimers();
  clock.advance('1h');
  clock.restore();
  expect(Date).toBe(RealDate);
});

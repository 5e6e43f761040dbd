import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { AnswerOverdueError, withDeadlines } from './deadline.js';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => void jest.useRealTimers());

test('work of many statements may take longer than one of them may', async () => {
  let heard: () => void = () => undefined;
  let end: (result: string) => void = () => undefined;
  const work = withDeadlines((tell) => {
    heard = tell;
    return new Promise<string>((resolve) => (end = resolve));
  }, 1_000);
  for (let statement = 0; statement < 5; statement++) {
    jest.advanceTimersByTime(900);
    heard();
  }
  end('done');
  expect(await work).toBe('done');
  heard();
  expect(jest.getTimerCount()).toBe(0);
});

test('one that is not answered in time ends it', async () => {
  let heard: () => void = () => undefined;
  const work = withDeadlines((tell) => {
    heard = tell;
    return new Promise<void>(() => undefined);
  }, 1_000);
  jest.advanceTimersByTime(900);
  heard();
  setImmediate(() => jest.advanceTimersByTime(1_000));
  await expect(work).rejects.toBeInstanceOf(AnswerOverdueError);
});

test('one whose answer had come before this process looked at the clock does not', async () => {
  let heard: () => void = () => undefined;
  let end: (result: string) => void = () => undefined;
  const work = withDeadlines((tell) => {
    heard = tell;
    return new Promise<string>((resolve) => (end = resolve));
  }, 1_000);
  jest.advanceTimersByTime(1_000);
  heard();
  await new Promise((resolve) => setImmediate(resolve));
  end('done');
  expect(await work).toBe('done');
});

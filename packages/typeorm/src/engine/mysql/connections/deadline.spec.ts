import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { ResponseTimeoutError, withDeadlines } from './deadline.js';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => void jest.useRealTimers());

test('many statements together may take longer than the deadline of one', async () => {
  let onResponse: () => void = () => undefined;
  let end: (result: string) => void = () => undefined;
  const work = withDeadlines((notify) => {
    onResponse = notify;
    return new Promise<string>((resolve) => (end = resolve));
  }, 1_000);
  for (let statement = 0; statement < 5; statement++) {
    jest.advanceTimersByTime(900);
    onResponse();
  }
  end('done');
  expect(await work).toBe('done');
  onResponse();
  expect(jest.getTimerCount()).toBe(0);
});

test('a statement without an answer in time ends it', async () => {
  let onResponse: () => void = () => undefined;
  const work = withDeadlines((notify) => {
    onResponse = notify;
    return new Promise<void>(() => undefined);
  }, 1_000);
  jest.advanceTimersByTime(900);
  onResponse();
  setImmediate(() => jest.advanceTimersByTime(1_000));
  await expect(work).rejects.toBeInstanceOf(ResponseTimeoutError);
});

test('a statement whose response arrived before the deadline was checked does not', async () => {
  let onResponse: () => void = () => undefined;
  let end: (result: string) => void = () => undefined;
  const work = withDeadlines((notify) => {
    onResponse = notify;
    return new Promise<string>((resolve) => (end = resolve));
  }, 1_000);
  jest.advanceTimersByTime(1_000);
  onResponse();
  await new Promise((resolve) => setImmediate(resolve));
  end('done');
  expect(await work).toBe('done');
});

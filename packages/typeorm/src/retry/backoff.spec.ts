import { expect, test } from '@jest/globals';

import { gapsOf, listed } from './backoff.js';
import { paymentNoticeRetry, resolveRetryPolicy } from './retry-policy.js';

const MINUTE = 60_000;

test('a list returns its delays in order, and then the last one again', () => {
  const backoff = listed('15s', '1m', 5);
  expect([1, 2, 3, 4, 100].map(backoff)).toEqual([15_000, MINUTE, 5, 5, 5]);
  expect(gapsOf(backoff)).toEqual([15_000, MINUTE, 5]);
});

test('a list decides how many attempts there are, where nothing else does', () => {
  expect(resolveRetryPolicy({ backoff: listed('1s', '2s') }).attempts).toBe(3);
  expect(resolveRetryPolicy({ backoff: listed('1s', '2s'), attempts: 2 }).attempts).toBe(2);
});

test('more attempts than a list has waits for are refused, and so are empty and invalid lists', () => {
  const backoff = listed('1s', '2s');
  expect(() => resolveRetryPolicy({ backoff, attempts: 4 })).toThrow(
    /"retry.attempts" is 4, but must be a whole number from 1 to 3: retry.backoff lists 2 waits/,
  );
  expect(() => listed()).toThrow(/"listed" is \[\], but must be 1 to 999 durations/);
  expect(() => listed(...Array.from({ length: 1000 }, () => 1))).toThrow(/1 to 999 durations/);
  expect(() => listed('1s', 'soon' as '1s')).toThrow(/"listed\[1\]" is 'soon'/);
  expect(() => listed('-1s')).toThrow(/"listed\[0\]" is '-1s'/);
});

test('payment notices: fifteen waits, a day and four minutes in all', () => {
  const { attempts, backoff } = paymentNoticeRetry;
  const waits = Array.from({ length: attempts - 1 }, (_, index) => backoff(index + 1) / MINUTE);
  expect(waits).toEqual([0.25, 0.25, 0.5, 3, 10, 20, 30, 30, 30, 60, 180, 180, 180, 360, 360]);
  expect(waits.reduce((sum, wait) => sum + wait)).toBe(24 * 60 + 4);
  expect(resolveRetryPolicy({ ...paymentNoticeRetry, attempts: 5 }).attempts).toBe(5);
});

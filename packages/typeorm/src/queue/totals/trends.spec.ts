import { expect, test } from '@jest/globals';

import { Trends } from './trends.js';

test('the change per minute is that of up to five minutes, once 30 s are known', () => {
  const trends = new Trends();
  const second = 1_000;
  expect(trends.add('ready', 150_000, 0)).toBeUndefined();
  expect(trends.add('ready', 149_000, 29 * second)).toBeUndefined();
  expect(trends.add('ready', 149_000, 30 * second)).toBe(-2_000);
  expect(trends.add('other', 1, 30 * second)).toBeUndefined();
  expect(trends.add('ready', 147_000, 90 * second)).toBe(-2_000);
  // The first two samples are too old.
  expect(trends.add('ready', 147_000, 385 * second)).toBe(0);
});

import { expect, test } from '@jest/globals';

import { ReadCache } from './read.cache.js';

test('the cache keeps the last hundred reads', async () => {
  const cache = new ReadCache();
  const read: number[] = [];
  const job = (id: number) =>
    cache.getOrRead(['job', id], async () => {
      read.push(id);
      return id;
    });
  for (let id = 0; id <= 100; id++) {
    expect(await job(id)).toBe(id);
  }
  await Promise.all([job(100), job(1), job(100)]);
  expect(read).toHaveLength(101);
  expect(await job(0)).toBe(0);
  expect(read.slice(101)).toEqual([0]);
});

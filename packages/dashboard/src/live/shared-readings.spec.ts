import { expect, test } from '@jest/globals';

import { SharedReadings } from './shared-readings.js';

test('no more than a hundred readings are kept, the last ones', async () => {
  const readings = new SharedReadings();
  const read: number[] = [];
  const job = (id: number) =>
    readings.of(['job', id], async () => {
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

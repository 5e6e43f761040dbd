import { expect, jest, test } from '@jest/globals';
import { validate, version } from 'uuid';

import { firstIdAt, newJobId, uuidFromBytes, uuidToBytes } from './job-id.js';

test('ids are different UUIDv7s, in the order they were made', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newJobId);
  const after = Date.now();
  const texts = ids.map(uuidFromBytes);
  expect(texts.every((text) => validate(text) && version(text) === 7)).toBe(true);
  expect(new Set(texts).size).toBe(ids.length);
  expect([...texts].sort()).toEqual(texts);
  for (const id of [ids[0], ids.at(-1)] as Buffer[]) {
    expect(id.readUIntBE(0, 6)).toBeGreaterThanOrEqual(before);
    expect(id.readUIntBE(0, 6)).toBeLessThanOrEqual(after);
  }
});

test('the text of an id and its bytes are the same', () => {
  const id = newJobId();
  expect(uuidToBytes(uuidFromBytes(id)).equals(id)).toBe(true);
});

test('the first id of a time lies before all that are made then', () => {
  const now = Date.now();
  const id = newJobId();
  expect(Buffer.compare(firstIdAt(now), id)).toBe(-1);
  expect(Buffer.compare(firstIdAt(now + 60_000), id)).toBe(1);
});

test('ids stay ordered if the clock is set back a little, and follow it if it was far ahead', () => {
  const clock = jest.spyOn(Date, 'now');
  const timeOf = (now: number) => {
    clock.mockReturnValue(now);
    return newJobId().readUIntBE(0, 6);
  };
  const start = Date.now() + 60_000;
  const ahead = start + 400 * 24 * 3_600_000;
  try {
    expect([start, start - 4_000, start + 1].map(timeOf)).toEqual([start, start, start + 1]);
    expect([ahead, start, start + 2].map(timeOf)).toEqual([ahead, start, start + 2]);
  } finally {
    clock.mockRestore();
  }
});

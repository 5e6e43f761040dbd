import { expect, test } from '@jest/globals';

import { DatabaseUnavailableError } from '../errors/index.js';
import { Batcher } from './batcher.js';

test('items that are added while a batch is written go into the next one', async () => {
  const batches: number[][] = [];
  let second: Promise<string[]> | undefined;
  const batcher = new Batcher<number, string>(
    async (items) => {
      batches.push([...items]);
      second ??= Promise.all([3, 4].map((item) => batcher.add(item)));
      return items.map((item) => `written ${item}`);
    },
    10,
    setImmediate,
  );
  expect(await Promise.all([1, 2].map((item) => batcher.add(item)))).toEqual(['written 1', 'written 2']);
  expect(await second).toEqual(['written 3', 'written 4']);
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('no batch is larger than the limit', async () => {
  const sizes: number[] = [];
  const batcher = new Batcher<number, number>(
    async (items) => {
      sizes.push(items.length);
      return items;
    },
    4,
    setImmediate,
  );
  await Promise.all(Array.from({ length: 10 }, (_, item) => batcher.add(item)));
  expect(sizes).toEqual([4, 4, 2]);
});

test('another batch is written at the same time only if it is full', async () => {
  const open: (() => void)[] = [];
  const sizes: number[] = [];
  const write = (items: readonly number[]) => {
    sizes.push(items.length);
    return new Promise<readonly number[]>((resolve) => open.push(() => resolve(items)));
  };
  const batcher = new Batcher<number, number>(write, 4, setImmediate, 2);
  const finish = (batch: number) => open[batch]?.();
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  const add = (count: number) => Array.from({ length: count }, (_, item) => batcher.add(item));

  const first = add(3);
  await nextTurn();
  const second = add(3);
  await nextTurn();
  expect(sizes).toEqual([3]);
  const third = add(6);
  await nextTurn();
  expect(sizes).toEqual([3, 4]);
  finish(0);
  await Promise.all(first);
  await nextTurn();
  expect(sizes).toEqual([3, 4, 4]);
  finish(1);
  finish(2);
  await nextTurn();
  await nextTurn();
  finish(3);
  await Promise.all([...second, ...third]);
  expect(sizes).toEqual([3, 4, 4, 1]);
});

test('another batch starts at the minimum size and has all waiting items', async () => {
  const open: (() => void)[] = [];
  const sizes: number[] = [];
  const write = (items: readonly number[]) => {
    sizes.push(items.length);
    return new Promise<readonly number[]>((resolve) => open.push(() => resolve(items)));
  };
  const batcher = new Batcher<number, number>(write, 4, setImmediate, 2, 2);
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  const results: Promise<number>[] = [];
  const afterAdding = async (count: number) => {
    results.push(...Array.from({ length: count }, (_, item) => batcher.add(item)));
    await nextTurn();
    return sizes;
  };
  expect(await afterAdding(4)).toEqual([4]);
  expect(await afterAdding(1)).toEqual([4]);
  expect(await afterAdding(2)).toEqual([4, 3]);
  expect(await afterAdding(4)).toEqual([4, 3]);
  open.forEach((finish) => finish());
  await nextTurn();
  await nextTurn();
  expect(sizes).toEqual([4, 3, 4]);
  open.forEach((finish) => finish());
  await Promise.all(results);
});

test('a refused item fails alone', async () => {
  const tries: boolean[] = [];
  const batcher = new Batcher<number, string>(
    async (items, isRetry) => {
      tries.push(isRetry);
      if (items.includes(2)) {
        throw new Error('not 2');
      }
      return items.map((item) => `written ${item}`);
    },
    10,
    setImmediate,
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(results).toEqual([
    { status: 'fulfilled', value: 'written 1' },
    { status: 'rejected', reason: new Error('not 2') },
    { status: 'fulfilled', value: 'written 3' },
  ]);
  // The outcome of the batch is unknown for each item.
  expect(tries).toEqual([false, true, true, true]);
});

test('an unavailable database fails the whole batch at once', async () => {
  let writes = 0;
  const batcher = new Batcher<number, never>(
    async () => {
      writes++;
      throw new DatabaseUnavailableError('write', new Error('gone'));
    },
    10,
    setImmediate,
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(writes).toBe(1);
});

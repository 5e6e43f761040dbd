import { expect, test } from '@jest/globals';

import { DatabaseUnavailableError } from '../errors/index.js';
import { Batcher } from './batcher.js';

test('what is added while a batch is being written goes into the next one', async () => {
  const batches: number[][] = [];
  let second: Promise<string[]> | undefined;
  const gatherer = new Batcher<number, string>(
    async (items) => {
      batches.push([...items]);
      second ??= Promise.all([3, 4].map((item) => gatherer.add(item)));
      return items.map((item) => `written ${item}`);
    },
    10,
    setImmediate,
  );
  expect(await Promise.all([1, 2].map((item) => gatherer.add(item)))).toEqual(['written 1', 'written 2']);
  expect(await second).toEqual(['written 3', 'written 4']);
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('no batch is larger than the limit', async () => {
  const sizes: number[] = [];
  const gatherer = new Batcher<number, number>(
    async (items) => {
      sizes.push(items.length);
      return items;
    },
    4,
    setImmediate,
  );
  await Promise.all(Array.from({ length: 10 }, (_, item) => gatherer.add(item)));
  expect(sizes).toEqual([4, 4, 2]);
});

test('another batch is written at the same time only where it is full', async () => {
  const open: (() => void)[] = [];
  const sizes: number[] = [];
  const write = (items: readonly number[]) => {
    sizes.push(items.length);
    return new Promise<readonly number[]>((resolve) => open.push(() => resolve(items)));
  };
  const gatherer = new Batcher<number, number>(write, 4, setImmediate, 2);
  const finish = (batch: number) => open[batch]?.();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const add = (count: number) => Array.from({ length: count }, (_, item) => gatherer.add(item));

  const first = add(3);
  await turn();
  const second = add(3);
  await turn();
  expect(sizes).toEqual([3]);
  const third = add(6);
  await turn();
  expect(sizes).toEqual([3, 4]);
  finish(0);
  await Promise.all(first);
  await turn();
  expect(sizes).toEqual([3, 4, 4]);
  finish(1);
  finish(2);
  await turn();
  await turn();
  finish(3);
  await Promise.all([...second, ...third]);
  expect(sizes).toEqual([3, 4, 4, 1]);
});

test('another batch begins with as many as are enough, and has all that wait', async () => {
  const open: (() => void)[] = [];
  const sizes: number[] = [];
  const write = (items: readonly number[]) => {
    sizes.push(items.length);
    return new Promise<readonly number[]>((resolve) => open.push(() => resolve(items)));
  };
  const gatherer = new Batcher<number, number>(write, 4, setImmediate, 2, 2);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const told: Promise<number>[] = [];
  const afterAdding = async (count: number) => {
    told.push(...Array.from({ length: count }, (_, item) => gatherer.add(item)));
    await turn();
    return sizes;
  };
  expect(await afterAdding(4)).toEqual([4]);
  expect(await afterAdding(1)).toEqual([4]);
  expect(await afterAdding(2)).toEqual([4, 3]);
  expect(await afterAdding(4)).toEqual([4, 3]);
  open.forEach((finish) => finish());
  await turn();
  await turn();
  expect(sizes).toEqual([4, 3, 4]);
  open.forEach((finish) => finish());
  await Promise.all(told);
});

test('an item that is refused fails alone', async () => {
  const tries: boolean[] = [];
  const gatherer = new Batcher<number, string>(
    async (items, again) => {
      tries.push(again);
      if (items.includes(2)) {
        throw new Error('not 2');
      }
      return items.map((item) => `written ${item}`);
    },
    10,
    setImmediate,
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => gatherer.add(item)));
  expect(results).toEqual([
    { status: 'fulfilled', value: 'written 1' },
    { status: 'rejected', reason: new Error('not 2') },
    { status: 'fulfilled', value: 'written 3' },
  ]);
  // What has become of the batch is not known of each.
  expect(tries).toEqual([false, true, true, true]);
});

test('a database that is away fails the whole batch at once', async () => {
  let writes = 0;
  const gatherer = new Batcher<number, never>(
    async () => {
      writes++;
      throw new DatabaseUnavailableError('write', new Error('gone'));
    },
    10,
    setImmediate,
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => gatherer.add(item)));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(writes).toBe(1);
});

import { expect, test } from '@jest/globals';

import { doAll } from './batches.js';

test('all is done, whatever goes wrong, and that is thrown at the end', async () => {
  const done: string[] = [];
  const step = (name: string, error?: Error) => async () => {
    done.push(name);
    if (error) {
      throw error;
    }
  };
  const first = new Error('first');
  await expect(doAll(step('a'), step('b', first), step('c', new Error('second')), step('d'))).rejects.toBe(first);
  expect(done).toEqual(['a', 'b', 'c', 'd']);
});

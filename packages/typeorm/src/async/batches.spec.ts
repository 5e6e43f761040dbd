import { beforeEach, expect, test } from '@jest/globals';

import { runAll } from './batches.js';
import { DatabaseUnavailableError } from '../errors/index.js';

const done: string[] = [];
const step = (name: string, error?: Error) => async () => {
  done.push(name);
  if (error) {
    throw error;
  }
};
beforeEach(() => void done.splice(0));

test('all steps run, also after a failure, and the error is thrown at the end', async () => {
  const first = new Error('first');
  await expect(runAll(step('a'), step('b', first), step('c'))).rejects.toBe(first);
  expect(done).toEqual(['a', 'b', 'c']);
  await expect(runAll(step('d', first), step('e', new Error('second')))).rejects.toMatchObject({
    message: 'first second',
    errors: [first, new Error('second')],
  });
});

test('an unavailable database stops it', async () => {
  const unavailable = new DatabaseUnavailableError('do it', new Error('gone'));
  await expect(runAll(step('a', unavailable), step('b'))).rejects.toBe(unavailable);
  expect(done).toEqual(['a']);
});

import { expect, test } from '@jest/globals';

import { endsTransaction } from './connection-watch.js';

test.each([
  ['COMMIT', true],
  ['\n commit and chain', true],
  ['END TRANSACTION', true],
  ['end;', true],
  ['ROLLBACK', true],
  ['ROLLBACK TO SAVEPOINT a', false],
  ['rollback work to a', false],
  ['BEGIN IMMEDIATE', true],
  ['START TRANSACTION', true],
  ['SAVEPOINT a', false],
  ["INSERT INTO note VALUES ('COMMIT')", false],
  [undefined, false],
])('%j ends a transaction: %s', (text, expected) => {
  expect(endsTransaction(text)).toBe(expected);
});

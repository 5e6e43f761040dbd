import { expect, test } from '@jest/globals';
import { format } from 'mysql2';

import { newJobId } from '../../definition/job-id.js';
import { IdLiterals } from './id-literals.js';

test.each([1, 2, 800])('%d ids have the text that the driver makes of single values', (count) => {
  const ids = Array.from({ length: count }, newJobId);
  const list = format('id IN (?) AND attempt = ?', [new IdLiterals(ids), 7]);
  expect(list.toLowerCase()).toBe(
    format(`id IN (${ids.map(() => '?').join(',')}) AND attempt = ?`, [...ids, 7]).toLowerCase(),
  );
});

test('refuses values other than bytes', () => {
  const list = new IdLiterals(["'); DROP TABLE tq_job; --" as never]);
  expect(() => list.toSqlString()).toThrow('must be an instance of Buffer or Uint8Array');
});

import { expect, test } from '@jest/globals';

import type { Dialect } from '../../../engine/dialect.js';
import { sql } from '../../../engine/sql.js';
import { fenced } from './fence.js';

const id = (number: number) => Buffer.from([number]);
const dialect = { idList: (ids: readonly Buffer[]) => sql.list(ids) } as Dialect;

test('jobs of one owner and attempt share a list of ids; every other pair has its own', () => {
  const { sql: text, parameters } = fenced(dialect, [
    { id: id(1), owner: 7, attempt: 1 },
    { id: id(2), owner: 7, attempt: 1 },
    { id: id(3), owner: 7, attempt: 2 },
    { id: id(4), owner: 8, attempt: 1 },
  ]);
  expect(text).toBe(
    "state = 'running' AND ((owner = ? AND attempt = ? AND id IN (?, ?))" +
      ' OR (owner = ? AND attempt = ? AND id IN (?)) OR (owner = ? AND attempt = ? AND id IN (?)))',
  );
  expect(parameters).toEqual([7, 1, id(1), id(2), 7, 2, id(3), 8, 1, id(4)]);
});

import { expect, test } from '@jest/globals';
import { QueryFailedError } from 'typeorm';

import { kindOfMysqlError, markUnconnected } from './mysql-errors.js';

test.each([
  [{ errno: 1213, code: 'ER_LOCK_DEADLOCK' }, 'rolled-back'],
  [{ errno: 1205 }, 'rolled-back'],
  [{ errno: 1020 }, 'rolled-back'],
  [{ errno: 1290 }, 'refused'],
  [{ errno: 3032 }, 'refused'],
  [{ errno: 3100 }, 'unknown-outcome'],
  [{ errno: 1180 }, 'unknown-outcome'],
  [{ errno: -111, code: 'ECONNREFUSED', syscall: 'connect', fatal: true }, 'refused'],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo', fatal: true }, 'refused'],
  [{ code: 'ETIMEDOUT', syscall: 'read', fatal: true }, 'unknown-outcome'],
  [{ code: 'PROTOCOL_CONNECTION_LOST', fatal: true }, 'unknown-outcome'],
  [{ message: "Can't add new command when connection is in closed state", fatal: true }, 'unknown-outcome'],
  [{ errno: 1114, code: 'ER_RECORD_FILE_FULL' }, 'full'],
  [{ errno: 1406, code: 'ER_DATA_TOO_LONG' }, 'refused-value'],
  [{ code: 'PROTOCOL_SEQUENCE_TIMEOUT' }, 'unknown-outcome'],
  [{ errno: 1062 }, 'duplicate-key'],
  [{ errno: 1146 }, 'missing-table'],
  [{ errno: 1054 }, 'missing-column'],
  [{ errno: 1044 }, 'denied'],
  [{ errno: 1142 }, 'denied'],
  [{ errno: 1143 }, 'denied'],
  [{ errno: 1227 }, 'denied'],
  [{ errno: 1064 }, 'other'],
  [new Error('something else'), 'other'],
  [undefined, 'other'],
])('%j is %s, wrapped by TypeORM or not', (error, kind) => {
  expect(kindOfMysqlError(error)).toBe(kind);
  if (error) {
    expect(kindOfMysqlError(new QueryFailedError('SELECT 1', [], error as Error))).toBe(kind);
  }
});

test('no error of connecting counts as a sent statement', () => {
  const error = new Error('Queue limit reached.');
  expect(kindOfMysqlError(error)).toBe('other');
  markUnconnected(error);
  expect(kindOfMysqlError(error)).toBe('refused');
});

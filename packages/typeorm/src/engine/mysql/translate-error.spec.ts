import { expect, test } from '@jest/globals';
import { QueryFailedError } from 'typeorm';

import { MissingPrivilegeError, MissingTablesError } from '../../errors/index.js';
import { seeDocs } from '../../errors/see-docs.js';
import { translateError, unavailable } from './translate-error.js';

function failed(errno: number, message: string): QueryFailedError {
  return new QueryFailedError('SELECT 1', [], Object.assign(new Error(message), { errno }));
}

test.each([
  [1142, "DELETE command denied to user 'shop'@'10.0.0.3' for table 'tq_job'", 'DELETE ON tq_job'],
  [1142, "DELETE command denied to user 'shop'@'10.0.0.3' for table `shop`.`tq_job`", 'DELETE ON shop.tq_job'],
  [1143, "SELECT command denied to user 'shop'@'%' for column 'id' in table 'tq_job'", 'SELECT ON tq_job'],
  [1044, "Access denied for user 'shop'@'%' to database 'shop'", 'SELECT, INSERT, UPDATE, DELETE ON shop.*'],
  [1227, 'Access denied; you need (at least one of) the PROCESS privilege(s) for this operation', 'PROCESS ON *.*'],
  [1142, 'Befehl nicht erlaubt', undefined],
])('error %i names the privilege that is missing: %s', (errno, message, privilege) => {
  const cause = failed(errno, message);
  const error = translateError(cause, 'cancel jobs') as MissingPrivilegeError;
  expect(error).toBeInstanceOf(MissingPrivilegeError);
  expect(error).toMatchObject({ privilege, cause });
  expect(error.message).toBe(
    `Cannot cancel jobs: ${message}. ` +
      (privilege === undefined ? 'Grant the missing privilege' : `Run GRANT ${privilege} TO the account`) +
      '; "npx tablequeue doctor" prints every missing GRANT.' +
      seeDocs('reference/databases.md#privileges'),
  );
});

test('a column that is missing shows that the tables are too old', () => {
  const error = translateError(failed(1054, "Unknown column 'j.trace' in 'field list'"), 'enqueue jobs');
  expect(error).toBeInstanceOf(MissingTablesError);
  expect((error as Error).message).toContain('The queue\'s tables have no column "trace": they are older than this');
});

test.each([
  [1045, 'Check the user name and the password of the data source.'],
  [1049, 'Check the database name of the data source, or create that database.'],
  [
    1040,
    'Raise max_connections or max_user_connections of the server, or the MAX_USER_CONNECTIONS of the account. Each ' +
      "worker opens up to 8 connections beside the application's pool, and each lock one more.",
  ],
  [1130, "Check that the database server runs and accepts connections at the data source's host and port."],
])('a connection that fails with error %i names what to check', (errno, advice) => {
  const error = unavailable('connect to the database', failed(errno, 'refused'));
  expect(error.message).toBe(`Cannot connect to the database: refused. ${advice}`);
});

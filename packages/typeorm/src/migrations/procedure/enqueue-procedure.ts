import type { QueryRunner } from 'typeorm';

import { DEFAULT_MAX_PAYLOAD_BYTES, LARGEST_PAYLOAD } from '../../definition/payload-json.js';
import { dataSourceOf } from '../../engine/data-source-of.js';
import { driverErrorNumber } from '../../engine/mysql/mysql-errors.js';
import { isBetween, serverVersion } from '../../engine/mysql/server/server-version.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { MissingPrivilegeError, UnsupportedDatabaseError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { type MigratedSource, migratedSource } from '../schema-names.js';
import { translatingErrors } from '../translating-errors.js';
import { procedureStatement } from './procedure-statement.js';

/** The version of the procedure, in its comment. A change of the procedure or of its tables makes a new one. */
export const PROCEDURE_COMMENT = sql`'Tablequeue procedure 1'`;

/** Options of `createEnqueueProcedure`. */
export interface EnqueueProcedureOptions {
  /** The prefix of the tables' names, as given to `tableQueueEntities`. The procedure has it too. Default: `'tq_'`. */
  readonly prefix?: string;
  /** The largest payload, in bytes: 1 to 536,870,912 (512 MiB). Default: 1,048,576 (1 MiB). */
  readonly maxPayloadBytes?: number;
}

/**
 * Creates or replaces the stored procedure `tq_enqueue`, with which triggers and programs in other languages enqueue
 * jobs. Call it from the `up` of a migration of your own, after `upTableQueue`, and again when the doctor finds an older
 * one. Requires MySQL 5.7.8 or MariaDB 10.5, and the privileges CREATE ROUTINE and ALTER ROUTINE.
 *
 * The procedure runs with the rights of the account that creates it. Callers need EXECUTE. MySQL cannot replace a
 * procedure: it is dropped and created again. Calls between the two fail with error 1305, and callers lose EXECUTE unless
 * it was granted on the whole database.
 *
 * @example
 * ```ts
 * await createEnqueueProcedure(queryRunner);
 * await queryRunner.query(`CALL tq_enqueue('mail', 'mail.send', '{"to":"ada@example.org"}', NULL, @job_id)`);
 * ```
 *
 * @throws InvalidOptionError, UnknownOptionError for invalid options.
 * @throws UnsupportedDatabaseError for SQLite, and MySQL before 5.7.8, which has no JSON functions.
 * @throws MissingPrivilegeError when the account may not create procedures; the message names the privilege.
 * @throws DatabaseUnavailableError
 */
export async function createEnqueueProcedure(
  queryRunner: QueryRunner,
  options: EnqueueProcedureOptions = {},
): Promise<void> {
  assertKnownOptions(options, ['prefix', 'maxPayloadBytes']);
  const { prefix, maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES } = options;
  wholeNumber('maxPayloadBytes', maxPayloadBytes, 1, LARGEST_PAYLOAD);
  const source = migratedSource(queryRunner, prefix);
  const isMariadb = await assertProcedures(queryRunner, source);
  const name = procedureName(source);
  const create = isMariadb ? sql`CREATE OR REPLACE` : sql`CREATE`;
  const statement = procedureStatement(source, name, PROCEDURE_COMMENT, create, maxPayloadBytes);
  // The procedure keeps the mode in which it was created: in a mode that is not strict, it would store cut texts.
  const [mode] = await rows<{ mode: string }>(queryRunner, sql`SELECT @@SESSION.sql_mode AS mode`);
  await run(queryRunner, sql`SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'`);
  try {
    if (!isMariadb) {
      await run(queryRunner, sql`DROP PROCEDURE IF EXISTS ${name}`);
    }
    await run(queryRunner, statement);
  } finally {
    await run(queryRunner, sql`SET SESSION sql_mode = ${mode?.mode ?? ''}`);
  }
}

/**
 * Drops the stored procedure `tq_enqueue`, if it exists. Drop it before `downTableQueue`.
 *
 * @throws InvalidOptionError, UnknownOptionError for invalid options.
 * @throws UnsupportedDatabaseError for SQLite, and MySQL before 5.7.8.
 * @throws MissingPrivilegeError when the account may not drop it; the message names the privilege.
 * @throws DatabaseUnavailableError
 */
export async function dropEnqueueProcedure(
  queryRunner: QueryRunner,
  options: Pick<EnqueueProcedureOptions, 'prefix'> = {},
): Promise<void> {
  assertKnownOptions(options, ['prefix']);
  const source = migratedSource(queryRunner, options.prefix);
  await assertProcedures(queryRunner, source);
  await run(queryRunner, sql`DROP PROCEDURE IF EXISTS ${procedureName(source)}`);
}

function procedureName({ tableName }: MigratedSource): Fragment {
  return sql.identifier([tableName('enqueue')], '`');
}

/**
 * @returns whether the server is MariaDB.
 * @throws UnsupportedDatabaseError
 */
async function assertProcedures(queryRunner: QueryRunner, { databaseType }: MigratedSource): Promise<boolean> {
  if (databaseType === 'better-sqlite3') {
    throw new UnsupportedDatabaseError(
      'SQLite with the procedure tq_enqueue, because SQLite has no stored procedures',
      'Leave the call out there. Enqueue with queue.enqueue(), or insert the row of a job.',
    );
  }
  const [row] = await rows<{ version: string }>(queryRunner, sql`SELECT VERSION() AS version`);
  const { flavour, number, text } = serverVersion(row?.version ?? '');
  if (flavour === 'MySQL' && (!number || isBetween(number, [0, 0, 0], [5, 7, 8]))) {
    throw new UnsupportedDatabaseError(
      `MySQL ${text} with the procedure tq_enqueue, which needs the JSON functions of MySQL 5.7.8`,
      'Leave the call out there. Enqueue with queue.enqueue(), or insert the row of a job.',
    );
  }
  return flavour === 'MariaDB';
}

async function rows<Row>(queryRunner: QueryRunner, statement: Fragment): Promise<Row[]> {
  return (await run(queryRunner, statement)) as Row[];
}

const PURPOSE = 'create or drop the procedure of the queue';
/** ER_DBACCESS_DENIED_ERROR, ER_PROCACCESS_DENIED_ERROR. */
const DENIED = new Set<number | undefined>([1044, 1370]);

async function run(queryRunner: QueryRunner, { sql: text, parameters }: Fragment): Promise<unknown> {
  return translatingErrors(queryRunner, PURPOSE, async () => {
    try {
      return await (queryRunner.query(text, [...parameters]) as Promise<unknown>);
    } catch (error) {
      if (DENIED.has(driverErrorNumber(error))) {
        const { database } = dataSourceOf(queryRunner).driver;
        throw new MissingPrivilegeError(PURPOSE, `CREATE ROUTINE, ALTER ROUTINE ON ${database ?? ''}.*`, error);
      }
      throw error;
    }
  });
}

import { driverErrorNumber, isAccessDenied } from '../../../engine/mysql/mysql-errors.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem } from '../../finding.js';

/** Statements that need one privilege each, and change no row. */
const TRIALS: readonly (readonly [privilege: string, trial: (table: Fragment, column: Fragment) => Fragment])[] = [
  ['SELECT', (table) => sql`SELECT * FROM ${table} WHERE FALSE`],
  ['INSERT', (table, column) => sql`INSERT INTO ${table} (${column}) SELECT '' FROM (SELECT 1) one WHERE FALSE`],
  ['UPDATE', (table, column) => sql`UPDATE ${table} SET ${column} = '' WHERE FALSE`],
  ['DELETE', (table) => sql`DELETE FROM ${table} WHERE FALSE`],
];

/** The privileges that an account lacks on a table. */
interface Denial {
  readonly table: string;
  readonly privileges: readonly string[];
}

/** Whether the account has the privileges that the queue needs. It tries them, so roles and wildcards count too. */
export const privileges: Check<ExaminedServer> = {
  name: 'privileges',
  async run(server) {
    const { account, database } = server;
    const denials = await denialsOf(server);
    if (denials.length === 0) {
      return ok(`${account} can read and write all tables of the queue`);
    }
    const lacking = new Set(denials.flatMap((denial) => denial.privileges));
    return problem(
      `${account} lacks ${[...lacking].join(', ')} on ${denials.map(({ table }) => table).join(', ')}`,
      'Jobs cannot be enqueued, claimed or completed.',
      ...denials.map(({ table, privileges: denied }) => {
        const path = table.includes('.') ? table : `${database}.${table}`;
        return `GRANT ${denied.join(', ')} ON ${path} TO ${account};`;
      }),
    );
  },
};

async function denialsOf({ dataSource, engine, query }: ExaminedServer): Promise<Denial[]> {
  const denials: Denial[] = [];
  for (const { tablePath, columns } of dataSource.entityMetadatas) {
    const table = sql.identifier(tablePath.split('.'), '`');
    const column = sql.identifier([columns[0]?.databaseName ?? ''], '`');
    const denied: string[] = [];
    for (const [privilege, trial] of engine.dialect.tables.all.some((name) => name.sql === table.sql) ? TRIALS : []) {
      if (!(await isAllowed(() => query(trial(table, column))))) {
        denied.push(privilege);
      }
    }
    if (denied.length > 0) {
      denials.push({ table: table.sql, privileges: denied });
    }
  }
  return denials;
}

/** ER_NO_DEFAULT_FOR_FIELD: the server checks the privileges before. */
const NO_DEFAULT = 1364;

async function isAllowed(trial: () => Promise<unknown>): Promise<boolean> {
  try {
    await trial();
    return true;
  } catch (error) {
    if (!isAccessDenied(error) && driverErrorNumber(error) !== NO_DEFAULT) {
      throw error;
    }
    return !isAccessDenied(error);
  }
}

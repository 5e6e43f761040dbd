import { driverErrorNumber, isAccessDenied } from '../../../engine/mysql/mysql-errors.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem } from '../../finding.js';

/** Each needs its privilege and no other, and touches no row. */
const TRIALS: readonly (readonly [privilege: string, trial: (table: string, column: string) => string])[] = [
  ['SELECT', (table) => `SELECT * FROM ${table} WHERE FALSE`],
  ['INSERT', (table, column) => `INSERT INTO ${table} (${column}) SELECT '' FROM (SELECT 1) one WHERE FALSE`],
  ['UPDATE', (table, column) => `UPDATE ${table} SET ${column} = '' WHERE FALSE`],
  ['DELETE', (table) => `DELETE FROM ${table} WHERE FALSE`],
];

/** What an account may not do to a table. */
interface Denial {
  readonly table: string;
  readonly privileges: readonly string[];
}

/** Whether the account may do what the queue does to its tables. It is tried, so roles and wildcards count too. */
export const privileges: Check<ExaminedServer> = {
  name: 'privileges',
  async run(server) {
    const { account, database } = server;
    const denials = await denialsOf(server);
    if (denials.length === 0) {
      return ok(`${account} may read and write all tables`);
    }
    const lacking = new Set(denials.flatMap((denial) => denial.privileges));
    return problem(
      `${account} lacks ${[...lacking].join(', ')} on ${denials.map(({ table }) => table).join(', ')}`,
      'Jobs cannot be enqueued, claimed or finished.',
      ...denials.map(({ table, privileges: denied }) => {
        const place = table.includes('.') ? table : `${database}.${table}`;
        return `GRANT ${denied.join(', ')} ON ${place} TO ${account};`;
      }),
    );
  },
};

async function denialsOf({ dataSource, engine, query }: ExaminedServer): Promise<Denial[]> {
  const escaped = (path: string) =>
    path
      .split('.')
      .map((part) => dataSource.driver.escape(part))
      .join('.');
  const denials: Denial[] = [];
  for (const { tablePath, columns } of dataSource.entityMetadatas) {
    const table = escaped(tablePath);
    const column = escaped(columns[0]?.databaseName ?? '');
    const denied: string[] = [];
    for (const [privilege, trial] of engine.dialect.tables.all.some((name) => name.sql === table) ? TRIALS : []) {
      if (!(await isAllowed(() => query(trial(table, column))))) {
        denied.push(privilege);
      }
    }
    if (denied.length > 0) {
      denials.push({ table, privileges: denied });
    }
  }
  return denials;
}

/** ER_NO_DEFAULT_FOR_FIELD: the privileges were looked at before. */
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

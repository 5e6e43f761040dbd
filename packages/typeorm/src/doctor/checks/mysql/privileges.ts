import { driverErrorNumber } from '../../../engine/mysql/mysql-errors.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem } from '../../finding.js';
import { isPrivilegeMissing } from './process-privilege.js';

/** Each needs its privilege and no other, and touches no row. */
const TRIALS: Readonly<Record<string, (table: string, column: string) => string>> = {
  SELECT: (table) => `SELECT * FROM ${table} WHERE FALSE`,
  INSERT: (table, column) => `INSERT INTO ${table} (${column}) SELECT '' FROM (SELECT 1) one WHERE FALSE`,
  UPDATE: (table, column) => `UPDATE ${table} SET ${column} = '' WHERE FALSE`,
  DELETE: (table) => `DELETE FROM ${table} WHERE FALSE`,
};

/** Whether the account may do what the queue does to its tables. It is tried, so roles and wildcards count too. */
export const privileges: Check<ExaminedServer> = {
  name: 'privileges',
  async run({ dataSource, query, engine }) {
    const missing = new Map<string, string[]>();
    for (const { tablePath, columns } of dataSource.entityMetadatas) {
      const escape = (name: string) => dataSource.driver.escape(name);
      const table = tablePath.split('.').map(escape).join('.');
      if (!engine.dialect.tables.all.includes(table)) {
        continue;
      }
      const denied: string[] = [];
      for (const [privilege, trial] of Object.entries(TRIALS)) {
        if (!(await isAllowed(() => query(trial(table, escape(columns[0]?.databaseName ?? 'id')))))) {
          denied.push(privilege);
        }
      }
      if (denied.length > 0) {
        missing.set(table, denied);
      }
    }
    const [row] = await query<{ account: string }>('SELECT CURRENT_USER() AS account');
    const account = (row?.account ?? '')
      .split('@')
      .map((part) => `'${part}'`)
      .join('@');
    if (missing.size === 0) {
      return ok(`${account} may read and write all tables`);
    }
    return problem(
      `${account} lacks ${[...new Set([...missing.values()].flat())].join(', ')} on ${[...missing.keys()].join(', ')}`,
      'Jobs cannot be enqueued, claimed or finished.',
      ...[...missing].map(([table, denied]) => `GRANT ${denied.join(', ')} ON ${table} TO ${account};`),
    );
  },
};

/** ER_NO_DEFAULT_FOR_FIELD: the privileges were looked at before. */
const NO_DEFAULT = 1364;

async function isAllowed(trial: () => Promise<unknown>): Promise<boolean> {
  try {
    await trial();
    return true;
  } catch (error) {
    if (isPrivilegeMissing(error)) {
      return false;
    }
    if (driverErrorNumber(error) === NO_DEFAULT) {
      return true;
    }
    throw error;
  }
}

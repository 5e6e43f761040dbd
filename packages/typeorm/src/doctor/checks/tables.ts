import { executeRead } from '../../engine/engine.js';
import type { DataSource } from 'typeorm';

import { dedicatedDataSource } from '../../engine/mysql/connections/dedicated-data-source.js';
import { serverVersion } from '../../engine/mysql/server/server-version.js';
import { select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { findNarrowColumns } from '../../store/workers/find-narrow-columns.js';
import { TABLES_VERSION } from '../../migrations/migrations.js';
import { resolvePrefix } from '../../tables/entities.js';
import { tablePrefixOf } from '../../tables/table-names.js';
import type { Check } from '../check.js';
import type { Examined } from '../examined.js';
import { ok, problem, warning } from '../finding.js';

/** How many differences are listed. */
const MOST_LISTED = 8;

/** Whether the tables exist in the version of this release. */
export const tables: Check = {
  name: 'tables',
  async run(examined) {
    const { engine } = examined;
    const { all } = engine.dialect.tables;
    const missing = await engine.missingTables();
    if (missing.length > 0) {
      return problem(
        missing.length === all.length ? 'no table of the queue exists' : `missing: ${missing.join(', ')}`,
        'Every operation of the queue fails.',
        howToMigrate(tablePrefixOf(examined.dataSource)),
      );
    }
    const narrow = await executeRead(engine, 'read the character sets of the tables', findNarrowColumns);
    if (narrow.length > 0) {
      return problem(
        `not in utf8mb4: ${narrow.map(({ table, column }) => `${table}.${column}`).join(', ')}`,
        'Texts lose characters, or are refused. Workers do not start.',
        ...narrow.map(({ table, column, type }) => `ALTER TABLE ${table} MODIFY ${column} ${type};`),
      );
    }
    const changes = await changesToMake(examined);
    if (changes.length === 0) {
      return ok(`all ${all.length} tables exist, version ${TABLES_VERSION}`);
    }
    // An index of the application: it costs time, but causes no errors.
    const isExtra = changes.every((change) => /^DROP INDEX/i.test(change));
    const listed = changes.slice(0, MOST_LISTED);
    if (changes.length > listed.length) {
      listed.push(`… and ${changes.length - listed.length} more`);
    }
    const found = `${changes.length} differences from version ${TABLES_VERSION} of the tables`;
    return isExtra
      ? warning(found, 'Additional indexes make every change of a job slower.', ...listed)
      : problem(found, 'Statements of the queue can fail, or lock too many rows.', ...listed);
  },
};

function howToMigrate(prefix: string): string {
  const [option, argument] = prefix === resolvePrefix() ? ['', ''] : [` --prefix ${prefix}`, ' with the same prefix'];
  return `Run npx tablequeue migrate${option}, or call upTableQueue${argument} in a migration of your own.`;
}

/** The statements with which TypeORM would make the tables match the entities. It does not run them. */
async function changesToMake(examined: Examined): Promise<string[]> {
  const { tables } = examined.engine.dialect;
  return onComparable(examined, async (comparable) => {
    const { upQueries } = await comparable.driver.createSchemaBuilder().log();
    // Only the queue's tables.
    const isOurs = (query: string) => tables.all.some((table) => query.includes(table.sql));
    return upQueries.map(({ query }) => query).filter(isOurs);
  });
}

/**
 * Compares on a data source with the right `type`: MariaDB describes the defaults of columns differently, so with the
 * type `mysql` TypeORM would find differences. Not on the application's pool: the doctor already has a connection of
 * it, and would wait for itself.
 */
async function onComparable<T>(
  { dataSource, engine }: Examined,
  compare: (comparable: DataSource) => Promise<T>,
): Promise<T> {
  const { options } = dataSource;
  if (options.type !== 'mysql' && options.type !== 'mariadb') {
    return compare(dataSource);
  }
  const [row] = await executeRead(engine, 'read the version', () =>
    select<{ version: string }>(sql`SELECT VERSION() AS version`),
  );
  const { flavour } = serverVersion(row?.version ?? '');
  const comparable = dedicatedDataSource(dataSource, 1, {
    type: flavour === 'MySQL' ? options.type : 'mariadb',
    entities: options.entities,
  });
  await comparable.initialize();
  try {
    return await compare(comparable);
  } finally {
    await comparable.destroy();
  }
}

import type { DataSource } from 'typeorm';

import { dedicatedDataSource } from '../../engine/mysql/connections/dedicated-data-source.js';
import { serverVersion } from '../../engine/mysql/server/server-version.js';
import { select } from '../../engine/operation.js';
import { TABLES_VERSION } from '../../migrations/migrations.js';
import type { Check } from '../check.js';
import type { Examined } from '../examined.js';
import { ok, problem, warning } from '../finding.js';

/** How many changes are told one by one. */
const MOST_TOLD = 8;

const MIGRATE = 'npx tablequeue migrate, or upTableQueue in a migration of your own';

/** Whether the tables are there, and are what this release works on. */
export const tables: Check = {
  name: 'tables',
  async run(examined) {
    const { engine } = examined;
    const { all } = engine.dialect.tables;
    const missing = await engine.missingTables();
    if (missing.length > 0) {
      return problem(
        missing.length === all.length ? 'none is there' : `missing: ${missing.join(', ')}`,
        'Everything the queue does fails.',
        MIGRATE,
      );
    }
    const changes = await changesToMake(examined);
    if (changes.length === 0) {
      return ok(`all ${all.length} are there, version ${TABLES_VERSION}`);
    }
    // Somebody's own index: it costs time, but nothing goes wrong.
    const isExtra = changes.every((change) => /^DROP INDEX/i.test(change));
    const told = changes.slice(0, MOST_TOLD);
    if (changes.length > told.length) {
      told.push(`… and ${changes.length - told.length} more`);
    }
    const found = `not what version ${TABLES_VERSION} of the tables says, ${changes.length} differences`;
    return isExtra
      ? warning(found, 'Indexes of your own make each change of a job slower.', ...told)
      : problem(found, 'Statements of the queue fail, or lock more than they should.', ...told);
  },
};

/** What TypeORM would change to make the tables what the entities say. It changes nothing. */
async function changesToMake(examined: Examined): Promise<string[]> {
  const { tables } = examined.engine.dialect;
  return onComparable(examined, async (comparable) => {
    const { upQueries } = await comparable.driver.createSchemaBuilder().log();
    // The application's tables are none of our business.
    const isOurs = (query: string) => tables.all.some((table) => query.includes(table.sql));
    return upQueries.map(({ query }) => query).filter(isOurs);
  });
}

/**
 * TypeORM compares right only where it knows the flavour: a MariaDB that the application calls `mysql` tells the defaults
 * of columns otherwise than MySQL does. And not on the application's pool, of which the doctor has a connection already: of
 * two it would wait for itself.
 */
async function onComparable<T>(
  { dataSource, engine }: Examined,
  compare: (comparable: DataSource) => Promise<T>,
): Promise<T> {
  const { options } = dataSource;
  if (options.type !== 'mysql' && options.type !== 'mariadb') {
    return compare(dataSource);
  }
  const [row] = await engine.execute(() => select<{ version: string }>('SELECT VERSION() AS version'), {
    purpose: 'read the version',
    readOnly: true,
  });
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

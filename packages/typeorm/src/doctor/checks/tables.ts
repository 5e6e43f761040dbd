import { LATEST_VERSION } from '../../migrations/migrations.js';
import type { Check } from '../check.js';
import type { Examined } from '../examined.js';
import { ok, problem, warning } from '../finding.js';

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
      return ok(`all ${all.length} are there, version ${LATEST_VERSION}`);
    }
    // Somebody's own index: it costs time, but nothing goes wrong.
    const isExtra = changes.every((change) => /^DROP INDEX/i.test(change));
    const found = `not what version ${LATEST_VERSION} of the tables says, ${changes.length} differences`;
    return isExtra
      ? warning(found, 'Indexes of your own make each change of a job slower.', ...changes)
      : problem(found, 'Statements of the queue fail, or lock more than they should.', ...changes);
  },
};

/** What TypeORM would change to make the tables what the entities say. It changes nothing. */
async function changesToMake({ dataSource, engine }: Examined): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  // The application's tables are none of our business.
  const isOurs = (query: string) => engine.dialect.tables.all.some((table) => query.includes(table));
  return upQueries.map(({ query }) => query).filter(isOurs);
}

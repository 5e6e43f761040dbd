import { type Engine, executeRead } from '../engine/engine.js';
import { MissingTablesError, UnsupportedDatabaseError } from '../errors/index.js';
import { findNarrowColumns } from '../store/workers/find-narrow-columns.js';

/**
 * Checks the tables at the start of a worker.
 *
 * @throws MissingTablesError
 * @throws UnsupportedDatabaseError for a column that cannot hold every character.
 */
export async function assertTables(engine: Engine): Promise<void> {
  const missing = await engine.missingTables();
  if (missing.length > 0) {
    throw new MissingTablesError(missing);
  }
  const [narrow] = await executeRead(engine, 'read the character sets of the tables', findNarrowColumns);
  if (narrow) {
    throw new UnsupportedDatabaseError(
      `a table with the column ${narrow.table}.${narrow.column} in ${narrow.collation}: texts would lose characters`,
      'Run the ALTER TABLE that "npx tablequeue doctor" prints: it converts the column to utf8mb4.',
    );
  }
}

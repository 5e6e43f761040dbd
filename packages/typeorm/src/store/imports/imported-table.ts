import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';

/**
 * Creates the table of the imported ids, unless it exists. It is not part of the layout: only an import needs it, until
 * the last queue is moved. See docs/decisions/0132.
 */
export function* createImportedTable({ tables }: Dialect, isSqlite: boolean): Operation<void> {
  const engine = isSqlite ? sql.empty : sql` ENGINE=InnoDB`;
  yield* change(
    sql`CREATE TABLE IF NOT EXISTS ${tables.imported} (
          id BINARY(16) NOT NULL, imported_at BIGINT NOT NULL, PRIMARY KEY (id)
        )${engine}`,
  );
}

/** Drops the table. A second run changes nothing. */
export function* dropImportedTable({ tables }: Dialect): Operation<void> {
  yield* change(sql`DROP TABLE IF EXISTS ${tables.imported}`);
}

/** The ids that were imported, as hex. Index: the primary key. Locks nothing. */
export function* findImported({ tables }: Dialect, ids: readonly Buffer[]): Operation<Set<string>> {
  const found = new Set<string>();
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select<{ id: Buffer }>(sql`SELECT id FROM ${tables.imported} WHERE id IN (${sql.list(chunk)})`);
    rows.forEach(({ id }) => found.add(id.toString('hex')));
  }
  return found;
}

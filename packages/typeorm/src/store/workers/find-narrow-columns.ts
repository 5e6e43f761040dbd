import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';

/** A column of the queue that cannot hold every character. */
export interface NarrowColumn {
  /** As in SQL. */
  readonly table: string;
  readonly column: string;
  readonly collation: string;
  /** The type that it should have. */
  readonly type: string;
}

/**
 * Finds columns of texts whose character set is neither utf8mb4 nor that of names: the tables were converted after
 * their migration. Reads only the description of the tables.
 */
export function* findNarrowColumns({ tables, narrowColumns }: Dialect): Operation<NarrowColumn[]> {
  const found: NarrowColumn[] = [];
  for (const table of narrowColumns ? tables.all : []) {
    const rows = yield* select<Readonly<Record<'Field' | 'Collation' | 'Type' | 'Null', string>>>(
      narrowColumns!(table),
    );
    for (const { Field: column, Collation: collation, Type: type, Null: isNull } of rows) {
      const nullable = isNull === 'YES' ? 'NULL' : 'NOT NULL';
      found.push({
        table: table.sql,
        column,
        collation,
        type: `${type} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin ${nullable}`,
      });
    }
  }
  return found;
}

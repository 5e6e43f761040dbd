import type { QueryRunner } from 'typeorm';

import { migratedSource } from './schema-names.js';
import { VERSIONS } from './versions.js';

/** The queue's tables in a database. */
export interface InstalledTables {
  /** The newest complete version; 0 without tables. */
  readonly version: number;
  /** The missing tables of an incomplete version. Empty, unless a migration has stopped in between. */
  readonly missing: readonly string[];
}

/**
 * Finds the installed version of the tables. The tables themselves show it; it is not stored, because migrations of the
 * application, `synchronize` and the command line can all create them.
 *
 * @throws InvalidOptionError, UnsupportedDatabaseError
 */
export async function installedTables(queryRunner: QueryRunner, prefix?: string): Promise<InstalledTables> {
  const { tableName } = migratedSource(queryRunner, prefix);
  let version = 0;
  let missing: readonly string[] = [];
  for (const { tables } of VERSIONS) {
    const absent = await absentOf(queryRunner, tables.map(tableName));
    if (absent.length > 0) {
      missing = absent.length < tables.length ? absent : [];
      break;
    }
    version++;
  }
  return { version, missing };
}

async function absentOf(queryRunner: QueryRunner, tables: readonly string[]): Promise<string[]> {
  const absent: string[] = [];
  for (const table of tables) {
    if (!(await queryRunner.hasTable(table))) {
      absent.push(table);
    }
  }
  return absent;
}

import type { QueryRunner } from 'typeorm';

import { migratedSource } from './schema-names.js';
import { VERSIONS } from './versions.js';

/** The queue's tables in a database. */
export interface InstalledTables {
  /** The newest complete version; 0 without tables. */
  readonly version: number;
  /** The missing tables and columns of an incomplete version. Empty, unless a migration has stopped in between. */
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
  for (const { tables, columns = [] } of VERSIONS) {
    const parts = [...tables, ...columns].map(tableName);
    const absent = await absentOf(queryRunner, parts);
    if (absent.length > 0) {
      missing = absent.length < parts.length ? absent : [];
      break;
    }
    version++;
  }
  return { version, missing };
}

async function absentOf(queryRunner: QueryRunner, parts: readonly string[]): Promise<string[]> {
  const absent: string[] = [];
  for (const part of parts) {
    const [table = '', column] = part.split('.');
    if (!(await (column ? queryRunner.hasColumn(table, column) : queryRunner.hasTable(table)))) {
      absent.push(part);
    }
  }
  return absent;
}

import type { QueryRunner } from 'typeorm';

import { migratedSource } from './schema-names.js';
import { VERSIONS } from './versions.js';

/** The queue's tables as they were found in a database. */
export interface InstalledTables {
  /** The newest version of which everything is there; 0 without tables. */
  readonly version: number;
  /** The tables that are missing of a version of which others are there. Empty, unless a migration has stopped half-way. */
  readonly missing: readonly string[];
  /** Whether the history is in day partitions. */
  readonly historyByDay: boolean;
}

/**
 * Looks which version of the tables is there. It is seen by the tables themselves, and written nowhere: migrations of the
 * application, `synchronize` and the command line may all have made them.
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
  return { version, missing, historyByDay: version > 0 && (await isHistoryByDay(queryRunner, tableName('history'))) };
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

/** What a history is in day partitions by is part of its primary key, and only then. */
async function isHistoryByDay(queryRunner: QueryRunner, history: string): Promise<boolean> {
  if (queryRunner.dataSource.options.type === 'better-sqlite3') {
    return false;
  }
  const rows = (await queryRunner.query(
    `SELECT 1 FROM information_schema.KEY_COLUMN_USAGE
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND CONSTRAINT_NAME = 'PRIMARY' AND COLUMN_NAME = 'finished_at'`,
    [history],
  )) as unknown[];
  return rows.length > 0;
}

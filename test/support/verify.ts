import { type Verdict, type VerifyOptions, verify } from '@tablequeue/verify';
import type { DataSourceOptions } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { DATABASE_TYPES } from './connection-options.js';
import { createEmptyDatabase } from './database.js';

/** A verdict, and the tables that are left. */
export interface VerifiedDatabase {
  readonly verdict: Verdict;
  readonly tablesLeft: readonly string[];
}

/** Verifies a database of its own. */
export async function verifyOn(
  engine: Engine,
  options: Omit<VerifyOptions, 'dataSourceOptions'>,
): Promise<VerifiedDatabase> {
  const database = await createEmptyDatabase(engine);
  try {
    const type = DATABASE_TYPES[engine];
    const place = type === 'better-sqlite3' ? { database: database.url } : { url: database.url };
    const verdict = await verify({ dataSourceOptions: { type, ...place } as DataSourceOptions, ...options });
    const own =
      type === 'better-sqlite3'
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
    const dataSource = await database.connect({ entities: [] });
    const tables = await dataSource.query<{ readonly name: string }[]>(own);
    return { verdict, tablesLeft: tables.map(({ name }) => name) };
  } finally {
    await database.drop();
  }
}

import { createRequire } from 'node:module';
import { join } from 'node:path';

import { MissingDriverError } from '../errors.js';

/** The package of each kind of database. */
const PACKAGES = { mysql: 'mysql2', mariadb: 'mysql2', 'better-sqlite3': 'better-sqlite3' } as const;

/** A kind of database that has a driver. */
export type DatabaseType = keyof typeof PACKAGES;

/**
 * Loads the driver of the application's project, and returns it as options of a data source. `npx` may run this package
 * from a folder without a driver.
 *
 * @param folder the folder to search first.
 * @throws MissingDriverError
 */
export function driverOptions(type: DatabaseType, folder: string): { readonly driver: unknown } {
  const driver: unknown = createRequire(import.meta.url)(driverFile(type, folder));
  // TypeORM 0.3 warns about a driver of MySQL without the name of its package.
  return { driver, ...(type !== 'better-sqlite3' && { connectorPackage: PACKAGES[type] }) };
}

/**
 * Returns the file of the same driver.
 *
 * @throws MissingDriverError
 */
export function driverFile(type: DatabaseType, folder: string): string {
  const name = PACKAGES[type];
  for (const from of [join(folder, 'package.json'), import.meta.url]) {
    const path = resolved(createRequire(from), name);
    if (path) {
      return path;
    }
  }
  throw new MissingDriverError(name, folder);
}

function resolved(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

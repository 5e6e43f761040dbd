import type { DataSource } from 'typeorm';

import type { QueueLogger } from '../../../logger.js';
import { wrongType } from './server-version.js';

const examined = new WeakSet<DataSource>();

/**
 * Warns if a data source has the type of another server, once for each data source. TypeORM has read the version when
 * it connected, so this sends no statement.
 */
export function warnOfWrongType(dataSource: DataSource, logger: QueueLogger): void {
  const { options, driver } = dataSource;
  if (options.type === 'better-sqlite3' || examined.has(dataSource)) {
    return;
  }
  examined.add(dataSource);
  const wrong = wrongType(options.type, driver.version);
  if (wrong) {
    logger.warn(`${wrong.problem} ${wrong.advice}`);
  }
}

/** Keeps `warnOfWrongType` silent for a data source that synchronizes nothing and generates no migration. */
export function acceptAnyType(dataSource: DataSource): void {
  examined.add(dataSource);
}

import type { DataSource } from 'typeorm';

import { wrongType } from '../engine/mysql/server/server-version.js';
import type { QueueLogger } from '../logger.js';

/** Warns if a data source has the type of another server. */
export function warnOfWrongType({ options, driver }: DataSource, logger: QueueLogger): void {
  const wrong = options.type === 'better-sqlite3' ? undefined : wrongType(options.type, driver.version);
  if (wrong) {
    logger.warn(`${wrong.problem} ${wrong.advice}`);
  }
}

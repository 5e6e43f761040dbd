import type { QueryRunner } from 'typeorm';

import { dataSourceOf } from '../engine/data-source-of.js';
import { translateError } from '../engine/mysql/translate-error.js';

/** Runs a statement of a migration and translates errors of MySQL and MariaDB into errors of the queue. */
export async function translatingErrors<T>(
  queryRunner: QueryRunner,
  purpose: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw dataSourceOf(queryRunner).options.type === 'better-sqlite3' ? error : translateError(error, purpose);
  }
}

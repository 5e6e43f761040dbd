import { randomBytes } from 'node:crypto';

import type { QueryRunner } from 'typeorm';

import type { TableNames } from '../../../tables/table-names.js';
import { sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';
import { withPlainResults } from '../connections/plain-results.js';
import { isGalera } from './is-galera.js';

/**
 * Tests whether SKIP LOCKED skips rows that another connection has locked: some servers do not support it, and TiDB
 * accepts and ignores it. On Galera it works only among the connections of one node, so there the answer is no.
 *
 * Locks a row of its own in `tq_maintenance` and deletes it. A row that remains after a crash does no harm.
 */
export async function probeSkipLocked(
  { maintenance }: TableNames,
  holder: QueryRunner,
  other: QueryRunner,
): Promise<boolean> {
  if (await isGalera(withPlainResults(holder))) {
    return false;
  }
  const task = `probe:${randomBytes(8).toString('hex')}`;
  const lock = sql`SELECT task FROM ${maintenance} WHERE task = ${task} FOR UPDATE`;
  await queryOn(holder, sql`INSERT INTO ${maintenance} (task, next_run_at) VALUES (${task}, 0)`);
  try {
    await holder.startTransaction();
    await queryOn(holder, lock);
    await queryOn(other, sql`SET @tq_wait = @@innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = 1`);
    const found = await queryOn(other, sql`${lock} SKIP LOCKED`).catch(() => undefined);
    await queryOn(other, sql`SET SESSION innodb_lock_wait_timeout = @tq_wait`);
    return found?.length === 0;
  } finally {
    await holder.rollbackTransaction();
    await queryOn(holder, sql`DELETE FROM ${maintenance} WHERE task = ${task}`);
  }
}

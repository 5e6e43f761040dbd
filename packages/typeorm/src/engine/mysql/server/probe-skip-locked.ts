import { randomBytes } from 'node:crypto';

import type { QueryRunner } from 'typeorm';

import type { TableNames } from '../../../tables/table-names.js';
import { isGalera } from './is-galera.js';

/**
 * Tries whether SKIP LOCKED passes over what another connection has locked: some servers do not know it, and TiDB takes
 * it and ignores it. On Galera it works, but only among the connections of one node: a job that another node's worker
 * claims is not locked here.
 *
 * Locks a row of its own in `tq_maintenance`, which is deleted again; one that is left by a crash does no harm.
 */
export async function probeSkipLocked(
  { maintenance }: TableNames,
  holder: QueryRunner,
  other: QueryRunner,
): Promise<boolean> {
  if (await isGalera(holder)) {
    return false;
  }
  const task = `probe:${randomBytes(8).toString('hex')}`;
  const look = `SELECT task FROM ${maintenance} WHERE task = ? FOR UPDATE`;
  await holder.query(`INSERT INTO ${maintenance} (task, next_run_at) VALUES (?, 0)`, [task]);
  try {
    await holder.startTransaction();
    await holder.query(look, [task]);
    await other.query('SET @tq_wait = @@innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = 1');
    const seen = (await other.query(`${look} SKIP LOCKED`, [task]).catch(() => undefined)) as unknown[] | undefined;
    await other.query('SET SESSION innodb_lock_wait_timeout = @tq_wait');
    return seen?.length === 0;
  } finally {
    await holder.rollbackTransaction();
    await holder.query(`DELETE FROM ${maintenance} WHERE task = ?`, [task]);
  }
}

import type { DataSource, QueryRunner } from 'typeorm';

import { sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';
import { type Connection, connectionOf } from './connection.js';
import { withDeadline } from './deadline.js';

/** How long to wait for the server, in ms. */
const PATIENCE = 5_000;

/**
 * Ends the session of a closed connection whose statement this process no longer waits for. The server does not notice
 * that: the statement could wait for a lock for a year. Never fails, and the caller need not wait. See
 * docs/decisions/0110.
 *
 * @param waited how long this process has waited for the answer, in ms.
 */
export async function endSession(dataSource: DataSource, { threadId }: Connection, waited: number): Promise<void> {
  const queryRunner = dataSource.createQueryRunner('master');
  try {
    const connection = await connectionOf(queryRunner);
    await withDeadline(kill(queryRunner, threadId, waited), PATIENCE).catch(() => connection.destroy());
  } catch {
    // Without a connection it cannot be ended.
  } finally {
    await queryRunner.release().catch(() => undefined);
  }
}

/** After a failover, or behind a proxy, another session may have the number: its statement has not run for as long. */
async function kill(queryRunner: QueryRunner, threadId: number, waited: number): Promise<void> {
  // The server has counted from a later moment, and counts whole seconds.
  const seconds = Math.max(0, Math.floor(waited / 1000) - 1);
  const running = await queryOn(
    queryRunner,
    sql`SELECT id FROM information_schema.processlist
        WHERE id = ${threadId} AND db = DATABASE() AND command <> 'Sleep' AND time >= ${seconds}`,
  );
  if (running.length > 0) {
    await queryOn(queryRunner, sql`KILL ${sql.integer(threadId)}`);
  }
}

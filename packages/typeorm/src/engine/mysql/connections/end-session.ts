import type { DataSource, QueryRunner } from 'typeorm';

import { sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';
import { type Connection, connectionOf } from './connection.js';
import { withDeadline } from './deadline.js';
import { withPlainResults } from './plain-results.js';

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

interface Session {
  readonly Id: number | string;
  readonly db: string | null;
  readonly Command: string;
  readonly Time: number | string | null;
}

/**
 * After a failover, or behind a proxy, another session may have the number: its statement has not run for as long.
 *
 * `information_schema.processlist` fails on MySQL while any session runs a statement with bytes that are no text.
 */
async function kill(queryRunner: QueryRunner, threadId: number, waited: number): Promise<void> {
  // The server has counted from a later moment, and counts whole seconds.
  const seconds = Math.max(0, Math.floor(waited / 1000) - 1);
  const plain = withPlainResults(queryRunner);
  const [here] = await queryOn<{ db: string }>(plain, sql`SELECT DATABASE() AS db`);
  const session = (await queryOn<Session>(plain, sql`SHOW PROCESSLIST`)).find(({ Id }) => Number(Id) === threadId);
  const isOurs = session !== undefined && session.db !== null && session.db === here?.db;
  if (isOurs && session.Command !== 'Sleep' && session.Time !== null && Number(session.Time) >= seconds) {
    await queryOn(queryRunner, sql`KILL ${sql.integer(threadId)}`);
  }
}

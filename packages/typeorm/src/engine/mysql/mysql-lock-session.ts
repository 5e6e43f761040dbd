import { setTimeout as sleep } from 'node:timers/promises';

import type { DataSource, QueryRunner } from 'typeorm';

import { DatabaseUnavailableError } from '../../errors/index.js';
import type { LockSession } from '../lock-session.js';
import { type Fragment, sql } from '../sql.js';
import { queryOn } from '../through-query-runner.js';
import { closeWithin } from './connections/close-within.js';
import { type Connection, connectionOf } from './connections/connection.js';
import { withDeadline } from './connections/deadline.js';
import { dedicatedDataSource } from './connections/dedicated-data-source.js';
import { lockName } from './lock-name.js';
import { WORKER_SESSION } from './connections/session-settings.js';
import { serverIdentity } from './server/server-identity.js';
import { unavailable } from './translate-error.js';

/** How long to wait for an answer, in ms, in addition to the wait for a lock. */
const PATIENCE = 5_000;
/** How long one statement waits for a lock at most, in ms: after it a dead connection is detected. */
const LONGEST_STATEMENT = 10_000;
/** How long a statement waits for a table in the server, in s: less than this process waits for the answer. */
const TABLE_WAIT = sql.integer(PATIENCE / 1000 - 1);
/** How long to wait between tries, in ms, for less than a second: MySQL waits for whole seconds only. */
const BETWEEN_TRIES = 20;

/** A connection that holds locks with GET_LOCK. */
export class MysqlLockSession implements LockSession {
  isOneOfMany = false;
  private readonly listeners: (() => void)[] = [];
  private hasEnded = false;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly dataSource: DataSource,
    private readonly queryRunner: QueryRunner,
    private readonly connection: Connection,
  ) {
    connection.once('end', () => this.end());
    connection.once('error', () => this.end());
  }

  /**
   * @param idleTimeout after how long without a statement the server ends the session, in ms.
   * @throws DatabaseUnavailableError
   */
  static async open(application: DataSource, idleTimeout: number): Promise<MysqlLockSession> {
    const dataSource = dedicatedDataSource(application, 1);
    let session: MysqlLockSession | undefined;
    const opening = (async () => {
      await dataSource.initialize();
      const queryRunner = dataSource.createQueryRunner('master');
      session = new MysqlLockSession(dataSource, queryRunner, await connectionOf(queryRunner));
      await session.prepare(idleTimeout);
      return session;
    })();
    try {
      return await withDeadline(opening, PATIENCE);
    } catch (error) {
      // A connection that opens after the deadline is closed. No caller waits for that, so errors are ignored.
      void opening.catch(() => undefined).then(() => (session ? session.close() : closeWithin(dataSource, PATIENCE)));
      throw unavailable('open a connection for a lock', error);
    }
  }

  async nameOnServer(scope: string, name: string): Promise<string> {
    return String(await this.ask(lockName(scope, name)));
  }

  async acquire(name: string, wait: number): Promise<boolean> {
    const until = performance.now() + wait;
    for (;;) {
      const remaining = Math.max(0, until - performance.now());
      const seconds = Math.floor(Math.min(remaining, LONGEST_STATEMENT) / 1000);
      const granted = await this.askNumber(sql`GET_LOCK(${name}, ${seconds})`, seconds * 1000);
      if (granted === 1) {
        return true;
      }
      const rest = until - performance.now();
      if (rest <= 0) {
        return false;
      }
      // The whole seconds are over, or the statement was killed.
      await sleep(Math.min(rest, BETWEEN_TRIES));
    }
  }

  async release(name: string): Promise<boolean> {
    return (await this.askNumber(sql`RELEASE_LOCK(${name})`)) === 1;
  }

  async holds(name: string): Promise<boolean> {
    return (await this.askNumber(sql`IS_USED_LOCK(${name}) = CONNECTION_ID()`)) === 1;
  }

  identifyServer(): Promise<number | null> {
    return this.askNumber(sql`(${serverIdentity(this.dataSource.driver.version)})`);
  }

  onEnd(listener: () => void): void {
    if (this.hasEnded) {
      listener();
    } else {
      this.listeners.push(listener);
    }
  }

  close(patience = PATIENCE): Promise<void> {
    this.listeners.length = 0;
    this.closing ??= this.closeOnce(patience);
    return this.closing;
  }

  private async closeOnce(patience: number): Promise<void> {
    await withDeadline(this.queryRunner.release(), patience).catch(() => undefined);
    await closeWithin(this.dataSource, patience);
  }

  private async prepare(idleTimeout: number): Promise<void> {
    const timeout = sql.integer(Math.ceil(idleTimeout / 1000));
    await queryOn(
      this.queryRunner,
      sql`${WORKER_SESSION}, wait_timeout = ${timeout}, lock_wait_timeout = ${TABLE_WAIT}`,
    );
    const cluster = await queryOn<{ Value: string }>(
      this.queryRunner,
      sql`SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on', 'group_replication_group_name')`,
    );
    this.isOneOfMany = cluster.some(({ Value: value }) => value !== '' && value !== 'OFF');
  }

  /** The value of an expression as a number, or null. */
  private async askNumber(expression: Fragment, wait = 0): Promise<number | null> {
    const answer = await this.ask(expression, wait);
    return answer === null ? null : Number(answer);
  }

  private async ask(expression: Fragment, wait = 0): Promise<number | string | null> {
    try {
      const query = queryOn<{ answer: number | string | null }>(this.queryRunner, sql`SELECT ${expression} AS answer`);
      const [row] = await withDeadline(query, PATIENCE + wait);
      return row?.answer ?? null;
    } catch (error) {
      // The answer may come later, with a lock that this process would not know of.
      this.connection.destroy();
      this.end();
      throw new DatabaseUnavailableError('ask for a lock', error);
    }
  }

  private end(): void {
    if (!this.hasEnded) {
      this.hasEnded = true;
      this.listeners.splice(0).forEach((listener) => listener());
    }
  }
}

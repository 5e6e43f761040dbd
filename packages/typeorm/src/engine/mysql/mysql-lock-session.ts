import { setTimeout as sleep } from 'node:timers/promises';

import type { DataSource, QueryRunner } from 'typeorm';

import { DatabaseUnavailableError } from '../../errors/index.js';
import type { LockSession } from '../lock-session.js';
import { type Fragment, sql } from '../sql.js';
import { queryOn } from '../through-query-runner.js';
import { type Connection, connectionOf } from './connections/connection.js';
import { withDeadline } from './connections/deadline.js';
import { dedicatedDataSource } from './connections/dedicated-data-source.js';
import { lockName } from './lock-name.js';
import { WORKER_SESSION } from './connections/worker-session.js';
import { serverIdentity } from './server/server-identity.js';

/** How long to wait for an answer, in ms, beside what a statement waits for a lock. */
const PATIENCE = 5_000;
/** How long one statement waits for a lock at most, in ms: a connection that has died meanwhile is noticed after it. */
const LONGEST_STATEMENT = 10_000;
/** How often to ask where whole seconds, which are all that MySQL waits for, are too long; in ms. */
const BETWEEN_TRIES = 20;

/** A connection that holds locks by GET_LOCK. */
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
   * @param silence how long the server keeps the session, and its locks, without hearing of it, in ms.
   * @throws DatabaseUnavailableError
   */
  static async open(application: DataSource, silence: number): Promise<MysqlLockSession> {
    const dataSource = dedicatedDataSource(application, 1);
    let session: MysqlLockSession | undefined;
    const opening = (async () => {
      await dataSource.initialize();
      const queryRunner = dataSource.createQueryRunner('master');
      session = new MysqlLockSession(dataSource, queryRunner, await connectionOf(queryRunner));
      await session.prepare(silence);
      return session;
    })();
    try {
      return await withDeadline(opening, PATIENCE);
    } catch (error) {
      // What comes after the deadline is closed too; nobody waits for that, so nobody would catch that it fails.
      opening
        .catch(() => undefined)
        .then(() => (session ? session.close() : destroy(dataSource)))
        .catch(() => undefined);
      throw new DatabaseUnavailableError('open a connection for a lock', error);
    }
  }

  async nameOnServer(scope: string, name: string): Promise<string> {
    return String(await this.ask(lockName(scope, name)));
  }

  async acquire(name: string, wait: number): Promise<boolean> {
    const until = performance.now() + wait;
    for (;;) {
      const left = Math.max(0, until - performance.now());
      const seconds = Math.floor(Math.min(left, LONGEST_STATEMENT) / 1000);
      const granted = await this.askNumber(sql`GET_LOCK(${name}, ${seconds})`, seconds * 1000);
      if (granted === 1) {
        return true;
      }
      const rest = until - performance.now();
      if (rest <= 0) {
        return false;
      }
      // It has waited its whole seconds, or somebody has killed the statement.
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

  close(): Promise<void> {
    this.listeners.length = 0;
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    try {
      await withDeadline(this.queryRunner.release(), PATIENCE);
      await withDeadline(destroy(this.dataSource), PATIENCE);
    } catch {
      // Its end is what was wanted.
    } finally {
      this.connection.destroy();
    }
  }

  private async prepare(silence: number): Promise<void> {
    const timeout = sql.integer(Math.ceil(silence / 1000));
    await queryOn(this.queryRunner, sql`${WORKER_SESSION}, wait_timeout = ${timeout}`);
    const cluster = await queryOn<{ Value: string }>(
      this.queryRunner,
      sql`SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on', 'group_replication_group_name')`,
    );
    this.isOneOfMany = cluster.some(({ Value: value }) => value !== '' && value !== 'OFF');
  }

  /** A number that the server works out; null where it does not. */
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
      // Its answer may still come, and nobody would know of a lock that it brings.
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

async function destroy(dataSource: DataSource): Promise<void> {
  if (dataSource.isInitialized) {
    await dataSource.destroy();
  }
}

import type { DataSource, QueryRunner } from 'typeorm';

import { UnsupportedSessionError } from '../../../errors/index.js';
import { closeWithin } from './close-within.js';
import { type Connection, connectionOf } from './connection.js';
import { ResponseTimeoutError, withDeadline, withDeadlines } from './deadline.js';
import { dedicatedDataSource } from './dedicated-data-source.js';
import { sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';
import { isGalera } from '../server/is-galera.js';
import { isOfDemotedServer, kindOfMysqlError, markUnconnected } from '../mysql-errors.js';
import type { SessionFacts } from '../mysql-dialect.js';
import { WORKER_SESSION, refusePacket } from './session-settings.js';
import { SERVER_VARIABLE, serverIdentity } from '../server/server-identity.js';
import { isMariadb, supportsSkipLocked } from '../server/server-version.js';

/**
 * How many connections a worker opens at most. A claim, two batches of outcomes, a renewal of the lease and maintenance
 * can run at once. If a renewal is not answered two more are sent.
 */
export const CONNECTIONS = 7;
/** How long a statement waits for a row at most, in s. */
const LONGEST_LOCK_WAIT = 5;

/**
 * Work on a connection.
 *
 * @param onResponse must be called when a statement was answered and others follow.
 */
export type Work<T> = (queryRunner: QueryRunner, connection: Connection, onResponse: () => void) => Promise<T>;

interface Borrowed {
  readonly queryRunner: QueryRunner;
  readonly connection: Connection;
}

/**
 * The connections of a worker. An error closes its connection, so that no other work gets one in the middle of a
 * transaction, or to a server that does not answer.
 */
export class WorkerPool {
  private readonly dataSource: DataSource;
  /** When each connection was used successfully last. Connections that are not in here are not prepared. */
  private readonly usedAt = new WeakMap<Connection, number>();
  private readonly sessions = new WeakMap<Connection, SessionFacts>();
  private invalidBefore = 0;

  /** @param patience how long to wait for an answer, in ms. */
  constructor(
    application: DataSource,
    private readonly patience: number,
  ) {
    this.dataSource = dedicatedDataSource(application, CONNECTIONS);
  }

  async open(): Promise<void> {
    if (!this.dataSource.isInitialized) {
      await this.dataSource.initialize();
    }
  }

  async close(patience = this.patience): Promise<void> {
    await closeWithin(this.dataSource, patience);
  }

  /**
   * Runs work on a free connection. The patience limits the wait for a connection and for each answer: work of hundreds
   * of statements may take longer.
   *
   * @param freshConnection whether to close all idle connections first, because one has not answered for too long.
   */
  async use<T>(work: Work<T>, freshConnection = false): Promise<T> {
    if (freshConnection) {
      this.invalidateIdle();
    }
    const { queryRunner, connection } = await this.acquireInTime();
    try {
      return await withDeadlines(async (onResponse) => {
        if (!this.usedAt.has(connection)) {
          await this.prepare(connection, queryRunner, onResponse);
        }
        const result = await work(queryRunner, connection, onResponse);
        this.usedAt.set(connection, performance.now());
        return result;
      }, this.patience);
    } catch (error) {
      if (error instanceof ResponseTimeoutError || isOfDemotedServer(error)) {
        this.invalidateIdle();
      }
      // mysql2's pool keeps connections to a server that has become read-only or does not answer.
      if (kindOfMysqlError(error) !== 'duplicate-key') {
        connection.destroy();
      }
      throw error;
    } finally {
      queryRunner.release().catch(() => undefined);
    }
  }

  sessionOf(connection: Connection): SessionFacts | undefined {
    return this.sessions.get(connection);
  }

  /** Connections that are idle now are closed before their next use. */
  private invalidateIdle(): void {
    this.invalidBefore = performance.now();
  }

  /** If no connection is free in time no statement was sent, so it can be tried again. A late one is released. */
  private async acquireInTime(): Promise<Borrowed> {
    const acquiring = this.acquire();
    try {
      return await withDeadline(acquiring, this.patience);
    } catch (error) {
      if (error instanceof ResponseTimeoutError) {
        markUnconnected(error);
        acquiring.then(({ queryRunner }) => queryRunner.release()).catch(() => undefined);
      }
      throw error;
    }
  }

  /**
   * When one connection does not answer, or its server was demoted, the connections that were idle at that time are
   * likely broken too. A demoted server still answers reads, so they would stay in use. See docs/decisions/0046.
   */
  private async acquire(): Promise<Borrowed> {
    for (;;) {
      const queryRunner = this.dataSource.createQueryRunner('master');
      const connection = await connectionOf(queryRunner);
      const usedAt = this.usedAt.get(connection);
      if (usedAt === undefined || usedAt >= this.invalidBefore) {
        return { queryRunner, connection };
      }
      connection.destroy();
      await queryRunner.release();
    }
  }

  /**
   * READ COMMITTED: see `lockFirstReady`. The lock wait is short: the queue's statements do not wait for each other. So
   * a wait is for a long transaction of the application, and the statement is tried again later. Where the wait is how
   * a locked row is detected, it is the shortest possible: on MySQL (see docs/decisions/0147) and without SKIP LOCKED
   * (see `lockSkippingLocked`). The wait for a table is short too: a statement that the worker gave up would wait in
   * the server for a year.
   */
  private async prepare(connection: Connection, queryRunner: QueryRunner, onResponse: () => void): Promise<void> {
    await queryOn(queryRunner, sql`SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED`);
    onResponse();
    const { version } = this.dataSource.driver;
    const wait = isMariadb(version) && supportsSkipLocked(version) ? this.lockWait : 1;
    await queryOn(
      queryRunner,
      sql`${WORKER_SESSION}, innodb_lock_wait_timeout = ${sql.integer(wait)},
      lock_wait_timeout = ${sql.integer(this.lockWait)}`,
    );
    const isOneOfMany = await isGalera(queryRunner);
    if (isOneOfMany) {
      // The connections may lead to several nodes, which must see what was committed on another: see
      // docs/decisions/0047.
      await queryOn(queryRunner, sql`SET SESSION wsrep_sync_wait = 7`);
    }
    await this.identifyServer(queryRunner);
    onResponse();
    const [packet] = await queryOn<{ bytes: number | string }>(queryRunner, sql`SELECT @@max_allowed_packet AS bytes`);
    const refusal = refusePacket(String(packet?.bytes));
    if (refusal) {
      throw new UnsupportedSessionError(...refusal);
    }
    this.sessions.set(connection, { packetBytes: Number(packet?.bytes), isOneOfMany });
    onResponse();
    this.usedAt.set(connection, performance.now());
  }

  /** In s. Shorter than the patience: otherwise the outcome of a statement that waits would be unknown. */
  private get lockWait(): number {
    return Math.min(LONGEST_LOCK_WAIT, Math.max(1, Math.floor(this.patience / 1000) - 2));
  }

  /** Without an identity the variable is NULL, and only leases show whether workers are alive. */
  private async identifyServer(queryRunner: QueryRunner): Promise<void> {
    try {
      const identity = serverIdentity(this.dataSource.driver.version);
      await queryOn(queryRunner, sql`SET ${SERVER_VARIABLE} = (${identity})`);
    } catch (error) {
      if (kindOfMysqlError(error) !== 'other') {
        throw error;
      }
    }
  }
}

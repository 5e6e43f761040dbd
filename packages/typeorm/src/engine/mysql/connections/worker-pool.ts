import type { DataSource, QueryRunner } from 'typeorm';

import { type Connection, connectionOf } from './connection.js';
import { AnswerOverdueError, withDeadline, withDeadlines } from './deadline.js';
import { dedicatedDataSource } from './dedicated-data-source.js';
import { sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';
import { isGalera } from '../server/is-galera.js';
import { isOfDemotedServer, kindOfMysqlError, noteUnconnected } from '../mysql-errors.js';
import { WORKER_SESSION } from './worker-session.js';
import { SERVER_VARIABLE, serverIdentity } from '../server/server-identity.js';
import { knowsSkipLocked } from '../server/server-version.js';

/**
 * How many connections a worker opens at most: claim, settle (twice), renew and maintain may all happen at once, and where a
 * renewal is not answered two more are sent beside it.
 */
export const CONNECTIONS = 7;
/** How long a statement waits for a row at most, in s. */
const LONGEST_LOCK_WAIT = 5;

/**
 * Something to do with a connection, and with the query runner that has it.
 *
 * @param heard to be called when a statement was answered, where others are to follow.
 */
export type Work<T> = (queryRunner: QueryRunner, connection: Connection, heard: () => void) => Promise<T>;

interface Borrowed {
  readonly queryRunner: QueryRunner;
  readonly connection: Connection;
}

/**
 * The few connections of a worker. What goes wrong on one closes it: nobody gets it again in the middle of a
 * transaction, or to a server that answers no more.
 */
export class WorkerPool {
  private readonly dataSource: DataSource;
  /** When a connection has answered last; it is prepared then. */
  private readonly heardAt = new WeakMap<Connection, number>();
  private readonly connections = new Set<Connection>();
  private distrustedBefore = 0;

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

  async close(): Promise<void> {
    if (!this.dataSource.isInitialized) {
      return;
    }
    try {
      await withDeadline(this.dataSource.destroy(), this.patience);
    } catch {
      // The pool says good-bye to the server, behind whatever is still unanswered on a connection. One that breaks
      // meanwhile is closed as well: its end is what was wanted.
      this.connections.forEach((connection) => connection.destroy());
    }
  }

  /**
   * Does something on a free connection; waits for one, and for each answer on it, no longer than the patience lasts. Work
   * of hundreds of statements may take longer than that on a server that is far away, or busy.
   *
   * @param isSuspicious whether to trust no connection before it answers again: one of them has not for too long.
   */
  async use<T>(work: Work<T>, isSuspicious = false): Promise<T> {
    if (isSuspicious) {
      this.distrust();
    }
    const { queryRunner, connection } = await this.acquireInTime();
    try {
      return await withDeadlines(async (heard) => {
        if (!this.heardAt.has(connection)) {
          await this.prepare(connection, queryRunner, heard);
        }
        const result = await work(queryRunner, connection, heard);
        this.heardAt.set(connection, performance.now());
        return result;
      }, this.patience);
    } catch (error) {
      if (error instanceof AnswerOverdueError || isOfDemotedServer(error)) {
        this.distrust();
      }
      // mysql2's pool keeps a connection to a server that has become read-only, or that answers no more; the next
      // borrower would get it again.
      if (kindOfMysqlError(error) !== 'duplicate-key') {
        connection.destroy();
      }
      throw error;
    } finally {
      queryRunner.release().catch(() => undefined);
    }
  }

  private distrust(): void {
    this.distrustedBefore = performance.now();
  }

  /** Nothing was sent where none comes in time: it may be tried again. One that comes later is given back. */
  private async acquireInTime(): Promise<Borrowed> {
    const acquiring = this.acquire();
    try {
      return await withDeadline(acquiring, this.patience);
    } catch (error) {
      if (error instanceof AnswerOverdueError) {
        noteUnconnected(error);
        acquiring.then(({ queryRunner }) => queryRunner.release()).catch(() => undefined);
      }
      throw error;
    }
  }

  /**
   * When one connection has fallen silent, or leads to a server that was demoted, those that were idle at that time most
   * likely do too. A demoted server answers looks as ever, so they would go on for as long as nothing is written.
   */
  private async acquire(): Promise<Borrowed> {
    for (;;) {
      const queryRunner = this.dataSource.createQueryRunner('master');
      const connection = await connectionOf(queryRunner);
      const heardAt = this.heardAt.get(connection);
      if (heardAt === undefined || heardAt >= this.distrustedBefore) {
        return { queryRunner, connection };
      }
      connection.destroy();
      await queryRunner.release();
    }
  }

  /**
   * READ COMMITTED: see lockFirstReady in store/lane.ts. A short lock wait: nothing of ours waits for a row by design, so a wait
   * is somebody else's long transaction, and the statement is better tried again later. Without SKIP LOCKED waiting is
   * how such a row is noticed (see `lockFree`), so it is the shortest there is.
   */
  private async prepare(connection: Connection, queryRunner: QueryRunner, heard: () => void): Promise<void> {
    await queryOn(queryRunner, sql`SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED`);
    heard();
    const wait = knowsSkipLocked(this.dataSource.driver.version) ? this.lockWait : 1;
    await queryOn(queryRunner, sql`${WORKER_SESSION}, innodb_lock_wait_timeout = ${sql.integer(wait)}`);
    if (await isGalera(queryRunner)) {
      // A worker's connections may lead to several nodes. What it has committed on one it has to find on another: a fence
      // that does not see the claim yet takes the job for lost, and it would stay running. Reads and writes both wait.
      await queryOn(queryRunner, sql`SET SESSION wsrep_sync_wait = 7`);
    }
    await this.identifyServer(queryRunner);
    heard();
    this.heardAt.set(connection, performance.now());
    this.connections.add(connection);
    connection.once('end', () => this.connections.delete(connection));
    connection.once('error', () => this.connections.delete(connection));
  }

  /** In s. Shorter than the patience: a wait that ends after it would count as a statement of unknown outcome. */
  private get lockWait(): number {
    return Math.min(LONGEST_LOCK_WAIT, Math.max(1, Math.floor(this.patience / 1000) - 2));
  }

  /** Where the server does not tell, nothing equals the variable, and leases alone decide about workers. */
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

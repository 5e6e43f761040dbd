import type { DataSource, QueryRunner } from 'typeorm';

import { type Connection, connectionOf } from './connection.js';
import { AnswerOverdueError, withDeadline } from './deadline.js';
import { dedicatedDataSource } from './dedicated-data-source.js';
import { isGalera } from './is-galera.js';
import { isOfDemotedServer, kindOfMysqlError } from './mysql-errors.js';
import { OWN_SESSION } from './own-session.js';
import { SERVER_VARIABLE, serverIdentity } from './server-identity.js';
import { knowsSkipLocked } from './server-version.js';

/** How many connections a worker opens at most: claim, settle (twice), renew, maintain may all happen at once. */
const CONNECTIONS = 5;

/** Something to do with a connection, and with the query runner that has it. */
export type Work<T> = (queryRunner: QueryRunner, connection: Connection) => Promise<T>;

/**
 * The few connections of a worker. What goes wrong on one closes it: nobody gets it again in the middle of a
 * transaction, or to a server that answers no more.
 */
export class OwnConnections {
  private readonly dataSource: DataSource;
  private readonly preparedAt = new WeakMap<Connection, number>();
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

  /** Does something on a free connection; waits for one, and for its end, no longer than the patience lasts. */
  async use<T>(work: Work<T>): Promise<T> {
    const acquiring = this.acquire();
    const run = async () => {
      const { queryRunner, connection } = await acquiring;
      if (!this.preparedAt.has(connection)) {
        await this.prepare(connection, queryRunner);
      }
      return work(queryRunner, connection);
    };
    try {
      return await withDeadline(run(), this.patience);
    } catch (error) {
      if (error instanceof AnswerOverdueError || isOfDemotedServer(error)) {
        this.distrustedBefore = performance.now();
      }
      // mysql2's pool keeps a connection to a server that has become read-only, or that answers no more; the next
      // borrower would get it again.
      if (kindOfMysqlError(error) !== 'duplicate-key') {
        acquiring.then(({ connection }) => connection.destroy()).catch(() => undefined);
      }
      throw error;
    } finally {
      // A connection that comes late, after the deadline, is given back too.
      acquiring.then(({ queryRunner }) => queryRunner.release()).catch(() => undefined);
    }
  }

  /**
   * When one connection has fallen silent, or leads to a server that was demoted, those that were idle at that time most
   * likely do too. A demoted server answers looks as ever, so they would go on for as long as nothing is written.
   */
  private async acquire(): Promise<{ queryRunner: QueryRunner; connection: Connection }> {
    for (;;) {
      const queryRunner = this.dataSource.createQueryRunner('master');
      const connection = await connectionOf(queryRunner);
      const preparedAt = this.preparedAt.get(connection);
      if (preparedAt === undefined || preparedAt >= this.distrustedBefore) {
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
  private async prepare(connection: Connection, queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    const wait = knowsSkipLocked(this.dataSource.driver.version) ? 5 : 1;
    await queryRunner.query(`${OWN_SESSION}, innodb_lock_wait_timeout = ${wait}`);
    if (await isGalera(queryRunner)) {
      // A worker's connections may lead to several nodes. What it has committed on one it has to find on another: a fence
      // that does not see the claim yet takes the job for lost, and it would stay running. Reads and writes both wait.
      await queryRunner.query('SET SESSION wsrep_sync_wait = 7');
    }
    await this.identifyServer(queryRunner);
    this.preparedAt.set(connection, performance.now());
    this.connections.add(connection);
    connection.once('end', () => this.connections.delete(connection));
    connection.once('error', () => this.connections.delete(connection));
  }

  /** Where the server does not tell, nothing equals the variable, and leases alone decide about workers. */
  private async identifyServer(queryRunner: QueryRunner): Promise<void> {
    try {
      const identity = serverIdentity(this.dataSource.driver.version);
      await queryRunner.query(`SET ${SERVER_VARIABLE} = (${identity})`);
    } catch (error) {
      if (kindOfMysqlError(error) !== 'other') {
        throw error;
      }
    }
  }
}

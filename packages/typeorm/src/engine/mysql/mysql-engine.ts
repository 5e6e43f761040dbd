import { setTimeout as sleep } from 'node:timers/promises';

import type { DataSource, QueryRunner } from 'typeorm';

import { DataSourceNotInitializedError, DatabaseUnavailableError, MissingTablesError } from '../../errors/index.js';
import { type TableNames, tableNamesOf } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Engine, ExecuteOptions, OperationFactory, TransactionEnd } from '../engine.js';
import { runOperation } from '../run-operation.js';
import { type Fragment, sql } from '../sql.js';
import { queryOn, throughQueryRunner } from '../through-query-runner.js';
import { transactOn } from '../transact-on.js';
import { borrow, inTransaction, sizeOfPool } from './connections/application-pool.js';
import { ApplicationSessions, assertEscapes } from './connections/application-sessions.js';
import { type Connection, connectionOf } from './connections/connection.js';
import { AnswerOverdueError, withDeadline } from './connections/deadline.js';
import { MysqlDialect } from './mysql-dialect.js';
import { isOfDemotedServer, kindOfMysqlError } from './mysql-errors.js';
import { MysqlLockSession } from './mysql-lock-session.js';
import { NarrowCharset, isNarrow } from './connections/narrow-charset.js';
import { WorkerPool, type Work } from './connections/worker-pool.js';
import { keepsPrepared } from './connections/prepared-statements.js';
import { probeSkipLocked } from './server/probe-skip-locked.js';
import { assertServerVersion } from './server/server-version.js';
import { isObserved, throughDriver } from './connections/through-driver.js';
import { translateError } from './translate-error.js';

/** How often an operation is tried in all. */
const TRIES = 6;
/** The first wait before another try, in ms; it doubles each time. */
const FIRST_WAIT = 10;

/** How long an operation outside a worker is tried again, in ms. */
const DEFAULT_PATIENCE = 10_000;

/** MySQL and MariaDB, through TypeORM's query runners. */
export class MysqlEngine implements Engine {
  readonly dialect: MysqlDialect;
  readonly isSynchronous = false;
  private readonly sessions = new ApplicationSessions();
  private readonly charset: NarrowCharset | undefined;

  /**
   * @param own those of a worker; without them the application's pool is used, and left as it is.
   * @param patience after which time nothing is tried again, in ms.
   * @param prepares whether statements that recur are prepared.
   * @param onWritten told of each operation that has written.
   */
  private constructor(
    private readonly application: DataSource,
    private readonly own: WorkerPool | undefined,
    private readonly clock: DatabaseClock,
    private readonly patience: number,
    private readonly prepares: boolean,
    tables: TableNames,
    private readonly onWritten: () => void = () => undefined,
  ) {
    this.dialect = new MysqlDialect(tables, clock, () => application.driver.version, own !== undefined);
    this.charset = !own && isNarrow(application) ? new NarrowCharset() : undefined;
  }

  /**
   * An engine on the application's own data source.
   *
   * @param prepares whether statements that recur are prepared.
   */
  static on(application: DataSource, clock: DatabaseClock, prepares: boolean): MysqlEngine {
    const pays = prepares && keepsPrepared(application);
    return new MysqlEngine(application, undefined, clock, DEFAULT_PATIENCE, pays, tableNamesOf(application));
  }

  dedicated(patience: number, onWritten?: () => void): MysqlEngine {
    const own = new WorkerPool(this.application, patience);
    const { application, clock, dialect } = this;
    return new MysqlEngine(application, own, clock, patience, false, dialect.tables, onWritten);
  }

  async open(): Promise<void> {
    try {
      await this.own?.open();
    } catch (error) {
      throw new DatabaseUnavailableError('connect to the database', error);
    }
    const [row] = await this.query<{ version: string }>(sql`SELECT VERSION() AS version`);
    assertServerVersion(row?.version ?? '');
  }

  async close(): Promise<void> {
    await this.own?.close();
  }

  async execute<T>(factory: OperationFactory<T>, options: ExecuteOptions): Promise<T> {
    const { purpose, atomic = false, repeatable = true, isSuspicious } = options;
    const since = performance.now();
    let again = false;
    let demoted = 0;
    for (let attempt = 1; ; attempt++) {
      let answered = 0;
      try {
        const work: Work<T> = (queryRunner, connection, heard) => {
          const isSeen = !this.own && isObserved(this.application);
          const send = isSeen ? throughQueryRunner(queryRunner) : throughDriver(connection, this.prepares);
          return runOperation(this.charset?.exactly(send) ?? send, factory(this.dialect, again), () => {
            answered++;
            heard();
          });
        };
        const result = await this.once(work, atomic === true, isSuspicious);
        if (!options.readOnly) {
          this.onWritten();
        }
        return result;
      } catch (error) {
        const kind = kindOfMysqlError(error);
        again ||= kind === 'unknown-outcome';
        // Without a transaction around them, statements before the one that failed have taken effect.
        const untouched = atomic !== false || answered === 0;
        const isSafe =
          ((kind === 'rolled-back' || kind === 'refused') && (repeatable || untouched)) ||
          (kind === 'unknown-outcome' && repeatable) ||
          // The first try was still being committed when this one looked for it.
          (kind === 'duplicate-key' && again && repeatable);
        if (isOfDemotedServer(error) && demoted < sizeOfPool(this.application)) {
          // The connection was closed. The others of the pool may lead there too.
          demoted++;
          attempt--;
        }
        if (!isSafe || attempt === TRIES || performance.now() - since > this.patience) {
          throw translateError(error, purpose);
        }
        await sleep(FIRST_WAIT * 2 ** Math.max(0, attempt - 1) * (0.5 + Math.random() / 2));
      }
    }
  }

  async executeOn<T>(queryRunner: QueryRunner, factory: OperationFactory<T>, purpose: string): Promise<T> {
    try {
      const send = throughQueryRunner(queryRunner, assertEscapes);
      await this.charset?.prepare(await connectionOf(queryRunner), queryRunner);
      return await runOperation(this.charset?.exactly(send) ?? send, factory(this.dialect, false));
    } catch (error) {
      // A deadlock is the application's to know of: its whole transaction is gone.
      throw kindOfMysqlError(error) === 'rolled-back' ? error : translateError(error, purpose);
    }
  }

  async transact(work: (queryRunner: QueryRunner) => Promise<boolean>): Promise<TransactionEnd> {
    return borrow(this.application, (queryRunner, connection) =>
      transactOn(queryRunner, work, () => this.commit(queryRunner, connection)),
    );
  }

  /**
   * The application's connections wait for an answer for as long as TCP does, hours perhaps, and so long the job would
   * run. A COMMIT waits for no lock. Whoever is told that its outcome is unknown can find out; the server may be at it still.
   */
  private async commit(queryRunner: QueryRunner, connection: Connection): Promise<void> {
    try {
      await withDeadline(queryRunner.commitTransaction(), this.patience);
    } catch (error) {
      if (error instanceof AnswerOverdueError) {
        connection.destroy();
      }
      throw error;
    }
  }

  async skipsLocked(): Promise<boolean> {
    try {
      return await this.once((holder) => {
        return this.once((other) => probeSkipLocked(this.dialect.tables, holder, other), false);
      }, false);
    } catch (error) {
      throw translateError(error, 'try SKIP LOCKED');
    }
  }

  async openLockSession(silence: number): Promise<MysqlLockSession> {
    if (!this.application.isInitialized) {
      throw new DataSourceNotInitializedError();
    }
    return MysqlLockSession.open(this.application, silence);
  }

  async missingTables(): Promise<string[]> {
    const missing: string[] = [];
    for (const table of this.dialect.tables.all) {
      try {
        await this.query(sql`SELECT 1 FROM ${table} LIMIT 0`);
      } catch (error) {
        if (!(error instanceof MissingTablesError)) {
          throw error;
        }
        missing.push(table.sql);
      }
    }
    return missing;
  }

  private async query<R>(statement: Fragment): Promise<readonly R[]> {
    try {
      return await this.once((queryRunner) => queryOn<R>(queryRunner, statement), false);
    } catch (error) {
      throw translateError(error, 'read from the database');
    }
  }

  private async once<T>(work: Work<T>, atomic: boolean, isSuspicious = false): Promise<T> {
    // Also when the application has closed its own connections before its worker was stopped.
    if (this.own) {
      return this.own.use(atomic ? inTransaction(work) : work, isSuspicious);
    }
    if (!this.application.isInitialized) {
      throw new DataSourceNotInitializedError();
    }
    return borrow(this.application, async (queryRunner, connection, heard) => {
      const autocommits = await this.sessions.autocommits(connection, queryRunner);
      await this.charset?.prepare(connection, queryRunner);
      return (atomic || !autocommits ? inTransaction(work) : work)(queryRunner, connection, heard);
    });
  }
}

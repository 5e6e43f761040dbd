import { setTimeout as sleep } from 'node:timers/promises';

import type { DataSource, QueryRunner } from 'typeorm';

import { DataSourceNotInitializedError, MissingTablesError, TransactionEndedError } from '../../errors/index.js';
import { type TableNames, tableNamesOf } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Engine, ExecuteOptions, OperationFactory, TransactionEnd } from '../engine.js';
import { type Send, runOperation } from '../run-operation.js';
import { type Fragment, sql } from '../sql.js';
import { isObserved } from '../subscribe.js';
import { queryOn, throughQueryRunner } from '../through-query-runner.js';
import { transactOn } from '../transact-on.js';
import { type TransactionHandle, isOfClient, queryRunnerOf } from '../transaction-handle.js';
import { TypeormTransaction } from '../typeorm-transaction.js';
import { borrow, commitWithin, inTransaction, inTransactionIf, sizeOfPool } from './connections/application-pool.js';
import { type ApplicationSession, ApplicationSessions, assertEscapes } from './connections/application-sessions.js';
import { type Connection, connectionOf } from './connections/connection.js';
import { MysqlDialect } from './mysql-dialect.js';
import { isOfDemotedServer, kindOfMysqlError } from './mysql-errors.js';
import { MysqlLockSession } from './mysql-lock-session.js';
import { withPlainResults } from './connections/plain-results.js';
import { TransactionGuard } from './connections/transaction-guard.js';
import { WorkerPool, type Work } from './connections/worker-pool.js';
import { withStatementSettings } from './connections/statement-settings.js';
import { keepsPrepared } from './connections/prepared-statements.js';
import { probeSkipLocked } from './server/probe-skip-locked.js';
import { assertServerVersion, hasSnapshotIsolation } from './server/server-version.js';
import { throughClient } from './connections/through-client.js';
import { throughDriver } from './connections/through-driver.js';
import { translateError, translateInTransaction, unavailable } from './translate-error.js';

/** How often an operation is tried in all. */
const TRIES = 6;
/** How long to wait before the second try, in ms; the wait doubles each time. */
const FIRST_WAIT = 10;

/** For how long an operation outside a worker is tried again, in ms. */
const DEFAULT_PATIENCE = 10_000;

/** MySQL and MariaDB. */
export class MysqlEngine implements Engine {
  readonly dialect: MysqlDialect;
  readonly isSynchronous = false;
  private readonly sessions: ApplicationSessions;
  private readonly guard: TransactionGuard;

  /**
   * @param pool the connections of a worker; without it the application's pool is used.
   * @param patience after which time nothing is tried again, in ms.
   * @param prepares whether recurring statements are prepared.
   * @param onWritten called after each operation that has changed rows.
   */
  private constructor(
    private readonly application: DataSource,
    private readonly pool: WorkerPool | undefined,
    private readonly clock: DatabaseClock,
    private readonly patience: number,
    private readonly prepares: boolean,
    tables: TableNames,
    private readonly onWritten: () => void = () => undefined,
  ) {
    this.dialect = new MysqlDialect(tables, clock, () => application.driver.version, pool !== undefined);
    this.sessions = new ApplicationSessions(() => application.driver.version);
    this.guard = TransactionGuard.of(application);
  }

  /** An engine on the application's own data source. `prepares`: whether recurring statements are prepared. */
  static on(application: DataSource, clock: DatabaseClock, prepares: boolean): MysqlEngine {
    const prepared = prepares && keepsPrepared(application);
    return new MysqlEngine(application, undefined, clock, DEFAULT_PATIENCE, prepared, tableNamesOf(application));
  }

  dedicated(patience: number, onWritten?: () => void): MysqlEngine {
    const pool = new WorkerPool(this.application, patience);
    const { application, clock, dialect } = this;
    return new MysqlEngine(application, pool, clock, patience, false, dialect.tables, onWritten);
  }

  async open(): Promise<void> {
    try {
      await this.pool?.open();
    } catch (error) {
      throw unavailable('connect to the database', error);
    }
    const [row] = await this.query<{ version: string }>(sql`SELECT VERSION() AS version`);
    assertServerVersion(row?.version ?? '');
  }

  async close(patience?: number): Promise<void> {
    await this.pool?.close(patience);
  }

  async execute<T>(factory: OperationFactory<T>, options: ExecuteOptions): Promise<T> {
    const { purpose, atomic = false, repeatable = true } = options;
    const since = performance.now();
    this.guard.follow();
    let isRetry = false;
    let demoted = 0;
    let isAtomic = atomic !== false;
    const decide =
      typeof atomic === 'function'
        ? (connection: Connection) => (isAtomic = atomic(this.dialectOf(connection)))
        : atomic === true;
    for (let attempt = 1; ; attempt++) {
      let responses = 0;
      let written = 0;
      try {
        const work: Work<T> = (queryRunner, connection, onResponse) => {
          const isVisible = !this.pool && isObserved(this.application);
          const send = isVisible
            ? throughQueryRunner(withPlainResults(queryRunner))
            : throughDriver(connection, this.prepares);
          const sendAll = this.pool ? send : this.adapted(send, this.sessions.get(connection), isAtomic);
          return runOperation(sendAll, factory(this.dialectOf(connection), isRetry), ({ affected }) => {
            responses++;
            written += affected;
            onResponse();
          });
        };
        const result = await this.once(work, decide, options);
        if (written > 0) {
          this.onWritten();
        }
        return result;
      } catch (error) {
        const kind = kindOfMysqlError(error);
        isRetry ||= kind === 'unknown-outcome';
        // Without a transaction the statements before the failed one have taken effect.
        const isUnchanged = isAtomic || responses === 0;
        const isSafe =
          ((kind === 'rolled-back' || kind === 'refused') && (repeatable || isUnchanged)) ||
          (kind === 'unknown-outcome' && repeatable) ||
          // The first try was still being committed when this one checked for it.
          (kind === 'duplicate-key' && isRetry && repeatable);
        if (isOfDemotedServer(error) && demoted < sizeOfPool(this.application)) {
          // This connection was closed; others of the pool may lead to the same server.
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

  async executeOn<T>(handle: TransactionHandle, factory: OperationFactory<T>, purpose: string): Promise<T> {
    try {
      if (isOfClient(handle)) {
        const send = throughClient(handle);
        const own = await this.sessions.ofClient(handle.session, send);
        return await runOperation(this.adapted(send, own, true), factory(this.dialect.forSession(own), false));
      }
      this.guard.follow();
      if (handle instanceof TypeormTransaction && !handle.isOpen) {
        throw new TransactionEndedError('TypeORM');
      }
      const queryRunner = queryRunnerOf(handle);
      const connection = await connectionOf(queryRunner);
      const session = this.sessions.get(connection) ?? (await this.sessions.read(connection, queryRunner));
      const visible = throughQueryRunner(withPlainResults(queryRunner), assertEscapes);
      const send = this.guard.wrap(handle, this.adapted(visible, session, true), purpose);
      return await runOperation(send, factory(this.dialectOf(connection), false));
    } catch (error) {
      throw translateInTransaction(error, purpose);
    }
  }

  /** Sends statements on the application's connections. Workers set their own sessions. */
  private adapted(send: Send, session: ApplicationSession | undefined, inTransaction: boolean): Send {
    const isolatesSnapshots = inTransaction && hasSnapshotIsolation(this.application.driver.version);
    return withStatementSettings(send, isolatesSnapshots, session?.refusesJoins === true);
  }

  async transact(work: (queryRunner: QueryRunner) => Promise<boolean>): Promise<TransactionEnd> {
    return borrow(this.application, (queryRunner, connection) => {
      const commit = () => commitWithin(this.application, queryRunner, connection, this.patience);
      return transactOn(queryRunner, work, commit).finally(() => this.endIfReleased(connection));
    });
  }

  async skipsLocked(): Promise<boolean> {
    try {
      return await this.once((holder) => {
        return this.once((other) => probeSkipLocked(this.dialect.tables, holder, other), false);
      }, false);
    } catch (error) {
      throw translateError(error, 'test SKIP LOCKED');
    }
  }

  async openLockSession(idleTimeout: number): Promise<MysqlLockSession> {
    if (!this.application.isInitialized) {
      throw new DataSourceNotInitializedError();
    }
    return MysqlLockSession.open(this.application, idleTimeout);
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

  private endIfReleased(connection: Connection): void {
    if (this.sessions.get(connection)?.endsSession) {
      connection.destroy();
    }
  }

  /** The dialect for the session of a connection whose settings were read. */
  private dialectOf(connection: Connection): MysqlDialect {
    const session = this.pool ? this.pool.sessionOf(connection) : this.sessions.get(connection);
    return session ? this.dialect.forSession(session) : this.dialect;
  }

  private async query<R>(statement: Fragment): Promise<readonly R[]> {
    try {
      return await this.once((queryRunner) => queryOn<R>(withPlainResults(queryRunner), statement), false);
    } catch (error) {
      throw translateError(error, 'read from the database');
    }
  }

  private async once<T>(
    work: Work<T>,
    atomic: boolean | ((connection: Connection) => boolean),
    { freshConnection = false, withoutGaps = false }: Pick<ExecuteOptions, 'freshConnection' | 'withoutGaps'> = {},
  ): Promise<T> {
    // Works also after the application has closed its connections before stopping its worker.
    if (this.pool) {
      return this.pool.use(inTransactionIf(work, atomic), freshConnection);
    }
    if (!this.application.isInitialized) {
      throw new DataSourceNotInitializedError();
    }
    return borrow(this.application, async (queryRunner, connection, onResponse) => {
      const session = this.sessions.get(connection) ?? (await this.sessions.read(connection, queryRunner));
      const { isAutomatic, readsUncommitted } = session;
      const isolation =
        withoutGaps || readsUncommitted || startsUncommitted(this.application) ? 'READ COMMITTED' : undefined;
      const run =
        isAutomatic && !readsUncommitted
          ? inTransactionIf(work, atomic, isolation)
          : inTransaction(work, isolation, !isAutomatic);
      // Also where the operation itself has committed.
      return run(queryRunner, connection, onResponse).finally(() => this.endIfReleased(connection));
    });
  }
}

/** Whether TypeORM starts transactions at READ UNCOMMITTED, whatever the level of the session is. */
function startsUncommitted({ options }: DataSource): boolean {
  return (options as { readonly isolationLevel?: string }).isolationLevel === 'READ UNCOMMITTED';
}

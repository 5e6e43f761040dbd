import { setTimeout as sleep } from 'node:timers/promises';

import type { DataSource, QueryRunner } from 'typeorm';

import {
  DataSourceNotInitializedError,
  DatabaseBusyError,
  DatabaseUnavailableError,
  MissingTablesError,
} from '../../errors/index.js';
import { type TableNames, tableNamesOf } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Engine, ExecuteOptions, OperationFactory, TransactionEnd } from '../engine.js';
import { runOperation } from '../run-operation.js';
import { throughQueryRunner } from '../through-query-runner.js';
import { transactOn } from '../transact-on.js';
import { connectionOf } from './connection.js';
import { MysqlDialect } from './mysql-dialect.js';
import { kindOfMysqlError } from './mysql-errors.js';
import { MysqlLockSession } from './mysql-lock-session.js';
import { OwnConnections, type Work } from './own-connections.js';
import { probeSkipLocked } from './probe-skip-locked.js';
import { assertServerVersion } from './server-version.js';
import { isObserved, throughDriver } from './through-driver.js';

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

  /**
   * @param own those of a worker; without them the application's pool is used, and left as it is.
   * @param patience after which time nothing is tried again, in ms.
   */
  private constructor(
    private readonly application: DataSource,
    private readonly own: OwnConnections | undefined,
    private readonly clock: DatabaseClock,
    private readonly patience: number,
    tables: TableNames,
  ) {
    this.dialect = new MysqlDialect(tables, clock, () => application.driver.version, own !== undefined);
  }

  /** An engine on the application's own data source. */
  static on(application: DataSource, clock: DatabaseClock): MysqlEngine {
    return new MysqlEngine(application, undefined, clock, DEFAULT_PATIENCE, tableNamesOf(application));
  }

  dedicated(patience: number): MysqlEngine {
    const own = new OwnConnections(this.application, patience);
    return new MysqlEngine(this.application, own, this.clock, patience, this.dialect.tables);
  }

  async open(): Promise<void> {
    try {
      await this.own?.open();
    } catch (error) {
      throw new DatabaseUnavailableError('connect to the database', error);
    }
    const [row] = await this.query<{ version: string }>('SELECT VERSION() AS version');
    assertServerVersion(row?.version ?? '');
  }

  async close(): Promise<void> {
    await this.own?.close();
  }

  async execute<T>(factory: OperationFactory<T>, options: ExecuteOptions): Promise<T> {
    const { purpose, atomic = false, repeatable = true } = options;
    const since = performance.now();
    let again = false;
    for (let attempt = 1; ; attempt++) {
      const progress = { statements: 0 };
      try {
        return await this.once((queryRunner, connection) => {
          const isSeen = !this.own && isObserved(this.application);
          const send = isSeen ? throughQueryRunner(queryRunner) : throughDriver(connection);
          return runOperation(send, factory(this.dialect, again), progress);
        }, atomic === true);
      } catch (error) {
        const kind = kindOfMysqlError(error);
        again ||= kind === 'unknown-outcome';
        // Without a transaction around them, statements before the one that failed have taken effect.
        const untouched = atomic !== false || progress.statements === 0;
        const isSafe =
          ((kind === 'rolled-back' || kind === 'refused') && (repeatable || untouched)) ||
          (kind === 'unknown-outcome' && repeatable) ||
          // The first try was still being committed when this one looked for it.
          (kind === 'duplicate-key' && again && repeatable);
        if (!isSafe || attempt === TRIES || performance.now() - since > this.patience) {
          throw translate(error, purpose);
        }
        await sleep(FIRST_WAIT * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
      }
    }
  }

  async executeOn<T>(queryRunner: QueryRunner, factory: OperationFactory<T>, purpose: string): Promise<T> {
    try {
      return await runOperation(throughQueryRunner(queryRunner), factory(this.dialect, false));
    } catch (error) {
      // A deadlock is the application's to know of: its whole transaction is gone.
      throw kindOfMysqlError(error) === 'rolled-back' ? error : translate(error, purpose);
    }
  }

  async transact(work: (queryRunner: QueryRunner) => Promise<boolean>): Promise<TransactionEnd> {
    return useOf(this.application, (queryRunner) => transactOn(queryRunner, work));
  }

  async skipsLocked(): Promise<boolean> {
    try {
      return await this.once((holder) => {
        return this.once((other) => probeSkipLocked(this.dialect.tables, holder, other), false);
      }, false);
    } catch (error) {
      throw translate(error, 'try SKIP LOCKED');
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
        await this.query(`SELECT 1 FROM ${table} LIMIT 0`);
      } catch (error) {
        if (!(error instanceof MissingTablesError)) {
          throw error;
        }
        missing.push(table);
      }
    }
    return missing;
  }

  private async query<R>(sql: string): Promise<R[]> {
    try {
      return await this.once((queryRunner) => queryRunner.query(sql) as Promise<R[]>, false);
    } catch (error) {
      throw translate(error, 'read from the database');
    }
  }

  private async once<T>(work: Work<T>, atomic: boolean): Promise<T> {
    if (!this.application.isInitialized) {
      throw new DataSourceNotInitializedError();
    }
    const inTransaction: Work<T> = atomic
      ? (queryRunner, connection) => transact(queryRunner, () => work(queryRunner, connection))
      : work;
    return this.own ? this.own.use(inTransaction) : useOf(this.application, inTransaction);
  }
}

function translate(error: unknown, purpose: string): unknown {
  switch (kindOfMysqlError(error)) {
    case 'missing-table':
      return new MissingTablesError([/'[^']*?([^'.]+)'/.exec(String(error))?.[1] ?? 'of the queue'], error);
    case 'rolled-back':
      return new DatabaseBusyError(
        purpose,
        `${String(error)}. It met locks in every try: look for long transactions on the queue's tables.`,
        error,
      );
    case 'refused':
    case 'unknown-outcome':
      return new DatabaseUnavailableError(purpose, error);
    default:
      return error;
  }
}

async function useOf<T>(dataSource: DataSource, work: Work<T>): Promise<T> {
  const queryRunner = dataSource.createQueryRunner('master');
  try {
    return await work(queryRunner, await connectionOf(queryRunner));
  } finally {
    await queryRunner.release();
  }
}

async function transact<T>(queryRunner: QueryRunner, work: () => Promise<T>): Promise<T> {
  await queryRunner.startTransaction();
  try {
    const result = await work();
    await queryRunner.commitTransaction();
    return result;
  } catch (error) {
    // Also after a lock wait timeout, which leaves the transaction open with its locks. Where the ROLLBACK fails the
    // connection is gone, and with it the transaction.
    await queryRunner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

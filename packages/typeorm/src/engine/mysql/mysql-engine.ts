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
import type { Engine, ExecuteOptions, OperationFactory } from '../engine.js';
import { runOnQueryRunner } from '../run-on-query-runner.js';
import { dedicatedDataSource } from './dedicated-data-source.js';
import { MysqlDialect } from './mysql-dialect.js';
import { kindOfMysqlError } from './mysql-errors.js';
import { assertServerVersion } from './server-version.js';

/** How often an operation is tried in all. */
const TRIES = 6;
/** The first wait before another try, in ms; it doubles each time. */
const FIRST_WAIT = 10;

/** How long an operation outside a worker is tried again, in ms. */
const DEFAULT_PATIENCE = 10_000;

/** A connection as TypeORM's MySQL query runner hands it out: mysql2's. */
interface Connection {
  destroy(): void;
  once(event: 'end' | 'error', listener: () => void): void;
}

type Work<T> = (queryRunner: QueryRunner) => Promise<T>;

/** MySQL and MariaDB, through TypeORM's query runners. */
export class MysqlEngine implements Engine {
  readonly dialect: MysqlDialect;
  /** When the sessions of our own connections were set up; the pool of the application is left as it is. */
  private readonly preparedAt = new WeakMap<Connection, number>();
  private readonly connections = new Set<Connection>();
  private distrustedBefore = 0;

  /** @param patience how long to wait for an answer, in ms, and after which time nothing is tried again. */
  private constructor(
    private readonly application: DataSource,
    private readonly own: DataSource | undefined,
    private readonly clock: DatabaseClock,
    private readonly patience: number,
    tables: TableNames,
  ) {
    this.dialect = new MysqlDialect(tables, clock);
  }

  /** An engine on the application's own data source. */
  static on(application: DataSource, clock: DatabaseClock): MysqlEngine {
    return new MysqlEngine(application, undefined, clock, DEFAULT_PATIENCE, tableNamesOf(application));
  }

  dedicated(patience: number): MysqlEngine {
    const own = dedicatedDataSource(this.application);
    return new MysqlEngine(this.application, own, this.clock, patience, this.dialect.tables);
  }

  async open(): Promise<void> {
    try {
      if (this.own && !this.own.isInitialized) {
        await this.own.initialize();
      }
    } catch (error) {
      throw new DatabaseUnavailableError('connect to the database', error);
    }
    const [row] = await this.query<{ version: string }>('SELECT VERSION() AS version');
    assertServerVersion(row?.version ?? '');
  }

  async close(): Promise<void> {
    if (!this.own?.isInitialized) {
      return;
    }
    try {
      await withDeadline(this.own.destroy(), this.patience);
    } catch (error) {
      if (!(error instanceof AnswerOverdueError)) {
        throw error;
      }
      // The pool says good-bye to the server, behind whatever is still unanswered on a connection.
      this.connections.forEach((connection) => connection.destroy());
    }
  }

  async execute<T>(factory: OperationFactory<T>, options: ExecuteOptions): Promise<T> {
    const { purpose, atomic = false, repeatable = true } = options;
    const since = performance.now();
    let again = false;
    for (let attempt = 1; ; attempt++) {
      const progress = { statements: 0 };
      try {
        return await this.once((queryRunner) => {
          return runOnQueryRunner(queryRunner, factory(this.dialect, again), progress);
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
      return await runOnQueryRunner(queryRunner, factory(this.dialect, false));
    } catch (error) {
      // A deadlock is the application's to know of: its whole transaction is gone.
      throw kindOfMysqlError(error) === 'rolled-back' ? error : translate(error, purpose);
    }
  }

  async missingTables(): Promise<string[]> {
    const { job, history, key, worker, maintenance } = this.dialect.tables;
    const missing: string[] = [];
    for (const table of [job, history, key, worker, maintenance]) {
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
    const { own } = this;
    return own ? this.onceOnOwn(own, work, atomic) : onceOn(this.application, work, atomic);
  }

  private async onceOnOwn<T>(own: DataSource, work: Work<T>, atomic: boolean): Promise<T> {
    const acquiring = this.acquire(own);
    const run = async () => {
      const { queryRunner, connection } = await acquiring;
      if (!this.preparedAt.has(connection)) {
        await this.prepare(connection, queryRunner);
      }
      return atomic ? transact(queryRunner, work) : work(queryRunner);
    };
    try {
      return await withDeadline(run(), this.patience);
    } catch (error) {
      if (error instanceof AnswerOverdueError) {
        this.distrustedBefore = performance.now();
      }
      // mysql2's pool keeps a connection to a server that has become read-only, or that answers no more; the next
      // borrower would get it again. Connections of the application's pool are not ours to close.
      if (kindOfMysqlError(error) !== 'duplicate-key') {
        acquiring.then(({ connection }) => connection.destroy()).catch(() => undefined);
      }
      throw error;
    } finally {
      // A connection that comes late, after the deadline, is given back too.
      acquiring.then(({ queryRunner }) => queryRunner.release()).catch(() => undefined);
    }
  }

  /** When one connection has fallen silent, those that were idle at that time most likely have too. */
  private async acquire(own: DataSource): Promise<{ queryRunner: QueryRunner; connection: Connection }> {
    for (;;) {
      const queryRunner = own.createQueryRunner('master');
      const connection = (await queryRunner.connect()) as Connection;
      const preparedAt = this.preparedAt.get(connection);
      if (preparedAt === undefined || preparedAt >= this.distrustedBefore) {
        return { queryRunner, connection };
      }
      connection.destroy();
      await queryRunner.release();
    }
  }

  /**
   * READ COMMITTED: see lockFirst in store/lane.ts. A short lock wait: nothing of ours waits for a row by design, so a wait
   * is somebody else's long transaction, and the statement is better tried again later.
   */
  private async prepare(connection: Connection, queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await queryRunner.query(
      "SET SESSION innodb_lock_wait_timeout = 5, time_zone = '+00:00', sql_mode = 'STRICT_TRANS_TABLES'",
    );
    this.preparedAt.set(connection, performance.now());
    this.connections.add(connection);
    connection.once('end', () => this.connections.delete(connection));
    connection.once('error', () => this.connections.delete(connection));
  }
}

/** Gives up waiting for an answer. The statement may go on in the server: nobody knows its outcome. */
async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AnswerOverdueError(milliseconds)), milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks like mysql2's own errors of a broken connection. */
class AnswerOverdueError extends Error {
  readonly fatal = true;

  constructor(milliseconds: number) {
    super(`the server has not answered for ${milliseconds} ms`);
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

async function onceOn<T>(dataSource: DataSource, work: Work<T>, atomic: boolean): Promise<T> {
  const queryRunner = dataSource.createQueryRunner('master');
  try {
    return await (atomic ? transact(queryRunner, work) : work(queryRunner));
  } finally {
    await queryRunner.release();
  }
}

async function transact<T>(queryRunner: QueryRunner, work: Work<T>): Promise<T> {
  await queryRunner.startTransaction();
  try {
    const result = await work(queryRunner);
    await queryRunner.commitTransaction();
    return result;
  } catch (error) {
    // Also after a lock wait timeout, which leaves the transaction open with its locks. Where the ROLLBACK fails the
    // connection is gone, and with it the transaction.
    await queryRunner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

import type { DataSource, QueryRunner } from 'typeorm';

import {
  DataSourceNotInitializedError,
  DatabaseFullError,
  DatabaseUnavailableError,
  MissingTablesError,
  ValueRefusedError,
} from '../../errors/index.js';
import { tableNamesOf } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Engine, ExecuteOptions, OperationFactory, TransactionEnd } from '../engine.js';
import type { Operation, StatementResult } from '../operation.js';
import { runOperation } from '../run-operation.js';
import { throughQueryRunner } from '../through-query-runner.js';
import { transactOn } from '../transact-on.js';
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.js';
import { SqliteDialect } from './sqlite-dialect.js';
import { TransactionGate } from './transaction-gate.js';

/**
 * How much text the statements have together that are kept prepared: more than all the queue has, and a few INSERTs of a
 * thousand jobs. Batches of different sizes are different statements, and each character takes twelve bytes: 200 of 800 to
 * 1,000 jobs took 450 MB.
 */
const CACHED_CHARACTERS = 1_000_000;

/**
 * SQLite through better-sqlite3, on the application's own connection. A second connection would be simpler, but in WAL
 * mode its writes make the application's transactions fail (SQLITE_BUSY_SNAPSHOT), and `:memory:` has no second one.
 */
export class SqliteEngine implements Engine {
  readonly dialect: SqliteDialect;
  readonly isSynchronous = true;
  private readonly gate: TransactionGate;
  private readonly statements = new Map<string, SqliteStatement>();
  private characters = 0;
  private cachedFor: SqliteDatabase | undefined;
  /** Ends when the last transaction that was asked for has ended. */
  private transactions: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    clock: DatabaseClock,
  ) {
    this.dialect = new SqliteDialect(tableNamesOf(dataSource), clock);
    this.gate = TransactionGate.of(dataSource);
  }

  dedicated(): Engine {
    return this;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  async execute<T>(factory: OperationFactory<T>, options: ExecuteOptions): Promise<T> {
    if (!this.dataSource.isInitialized) {
      throw new DataSourceNotInitializedError();
    }
    try {
      const writes = options.readOnly !== true;
      return await this.gate.pass(
        (database) => {
          const work = () => this.runNow(database, factory(this.dialect, false));
          return writes ? transact(database, work) : work();
        },
        options.purpose,
        writes,
      );
    } catch (error) {
      throw translate(error, options.purpose);
    }
  }

  async executeOn<T>(queryRunner: QueryRunner, factory: OperationFactory<T>, purpose: string): Promise<T> {
    try {
      return await runOperation(throughQueryRunner(queryRunner), factory(this.dialect, false));
    } catch (error) {
      throw translate(error, purpose);
    }
  }

  /**
   * One at a time, and when no other transaction is open: on the application's one connection TypeORM would make them
   * one. It still does with a transaction that the application begins meanwhile.
   */
  async transact(work: (queryRunner: QueryRunner) => Promise<boolean>): Promise<TransactionEnd> {
    const turn = this.transactions.then(async () => {
      await this.gate.pass(() => undefined, 'begin a transaction', true);
      return transactOn(this.dataSource.createQueryRunner(), work);
    });
    this.transactions = turn.catch(() => undefined);
    return turn;
  }

  async skipsLocked(): Promise<boolean> {
    return false;
  }

  async missingTables(): Promise<string[]> {
    return this.gate.pass(
      (database) => {
        const find = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?");
        return this.dialect.tables.all
          .map((table) => table.sql)
          .filter((table) => find.all(unquoted(table)).length === 0);
      },
      'look for the tables',
      false,
    );
  }

  private runNow<T>(database: SqliteDatabase, operation: Operation<T>): T {
    let step = operation.next();
    while (!step.done) {
      let results: StatementResult[];
      try {
        results = step.value.map(({ sql, parameters }) => {
          const statement = this.prepared(database, sql);
          return statement.reader
            ? rowsResult(statement.all(...parameters))
            : { rows: [], affected: statement.run(...parameters).changes };
        });
      } catch (error) {
        step = operation.throw(error);
        continue;
      }
      step = operation.next(results);
    }
    return step.value;
  }

  private prepared(database: SqliteDatabase, sql: string): SqliteStatement {
    if (this.cachedFor !== database) {
      this.forgetStatements();
      this.cachedFor = database;
    }
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      if (this.characters + sql.length > CACHED_CHARACTERS) {
        this.forgetStatements();
      }
      this.statements.set(sql, statement);
      this.characters += sql.length;
    }
    return statement;
  }

  private forgetStatements(): void {
    this.statements.clear();
    this.characters = 0;
  }
}

/**
 * EXCLUSIVE and not IMMEDIATE: with the rollback journal, IMMEDIATE holds the write lock while it still waits for
 * readers, and an application in another process that is about to turn its read into a write fails at once.
 */
function transact<T>(database: SqliteDatabase, work: () => T): T {
  database.exec('BEGIN EXCLUSIVE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.inTransaction) {
      database.exec('ROLLBACK');
    }
    throw error;
  }
}

/** An UPDATE … RETURNING is a reader too. */
function rowsResult(rows: StatementResult['rows']): StatementResult {
  return { rows, affected: rows.length };
}

/** What is wrong with the file or the machine, not with what was written. */
const AWAY = /^SQLITE_(?:IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL)/;

function translate(error: unknown, purpose: string): unknown {
  const code = codeOf(error);
  if (code === 'SQLITE_FULL') {
    return new DatabaseFullError(purpose, error);
  }
  if (code === 'SQLITE_TOOBIG') {
    return new ValueRefusedError(purpose, error);
  }
  if (AWAY.test(code)) {
    return new DatabaseUnavailableError(purpose, error, 'Look at the file, its folder, and the disk that they lie on.');
  }
  const table = /no such table: (?:main\.)?(\S+)/.exec(String((error as { message?: unknown }).message))?.[1];
  return table ? new MissingTablesError([table], error) : error;
}

/** The driver's, also of an error that TypeORM has wrapped. */
function codeOf(error: unknown): string {
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code);
}

/** The name that an identifier stands for: the last part of it, without its quotes. */
function unquoted(table: string): string {
  return table.replace(/^.*"\."|^"|"$/g, '').replaceAll('""', '"');
}

import type { DataSource, QueryRunner } from 'typeorm';

import {
  DataSourceNotInitializedError,
  DatabaseFullError,
  DatabaseUnavailableError,
  MissingTablesError,
  TransactionEndedError,
  TransactionLostError,
  ValueRefusedError,
} from '../../errors/index.js';
import { tableNamesOf } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Engine, ExecuteOptions, OperationFactory, TransactionEnd } from '../engine.js';
import type { Operation, StatementResult } from '../operation.js';
import { type Send, runOperation } from '../run-operation.js';
import { type Fragment, sql } from '../sql.js';
import { isObserved } from '../subscribe.js';
import { throughQueryRunner } from '../through-query-runner.js';
import { transactOn } from '../transact-on.js';
import { type TransactionHandle, isOfClient, isOpen, queryRunnerOf } from '../transaction-handle.js';
import { type SqliteDatabase, type SqliteStatement, sqliteDatabaseOf } from './sqlite-database.js';
import { SqliteDialect } from './sqlite-dialect.js';
import { TransactionGate } from './transaction-gate.js';

/**
 * How many characters the prepared statements have together: enough for all statements of the queue and some large
 * INSERTs. Each character takes about twelve bytes, and batches of different sizes are different statements.
 */
const CACHED_CHARACTERS = 1_000_000;

/**
 * SQLite through better-sqlite3, on the application's connection. In WAL mode the writes of a second connection would
 * make the application's transactions fail (SQLITE_BUSY_SNAPSHOT), and `:memory:` has only one.
 */
export class SqliteEngine implements Engine {
  readonly dialect: SqliteDialect;
  readonly isSynchronous = true;
  private readonly gate: TransactionGate;
  private readonly statements = new Map<string, SqliteStatement>();
  private characters = 0;
  private cachedFor: SqliteDatabase | undefined;
  /** Resolves when the last requested transaction has ended. */
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

  async executeOn<T>(handle: TransactionHandle, factory: OperationFactory<T>, purpose: string): Promise<T> {
    const other = isOfClient(handle) ? handle.sqlite : undefined;
    const database = other ?? sqliteDatabaseOf(this.dataSource);
    const assertOpen = (statement: Fragment) => {
      if (sql.isSelect(statement) || (database.inTransaction && isOpen(handle))) {
        return;
      }
      if (isOfClient(handle) || !isOpen(handle)) {
        throw new TransactionEndedError(isOfClient(handle) ? handle.client : 'TypeORM');
      }
      // An error has rolled it back, and TypeORM does not notice.
      throw new TransactionLostError(purpose);
    };
    try {
      if (isOfClient(handle) || !isObserved(this.dataSource)) {
        // Within one turn, so that the transaction cannot end between the check and the statement.
        return this.runNow(database, factory(this.dialect, false), assertOpen);
      }
      const send = throughQueryRunner(queryRunnerOf(handle));
      const guarded: Send = async (statement) => {
        assertOpen(statement);
        return send(statement);
      };
      return await runOperation(guarded, factory(this.dialect, false));
    } catch (error) {
      throw translate(error, purpose);
    }
  }

  /**
   * One at a time, and only when no other transaction is open: on the one connection TypeORM would merge them. A
   * transaction that the application starts meanwhile is still merged.
   */
  async transact(work: (queryRunner: QueryRunner) => Promise<boolean>): Promise<TransactionEnd> {
    const result = this.transactions.then(async () => {
      await this.gate.pass(() => undefined, 'begin a transaction', true);
      return transactOn(this.dataSource.createQueryRunner(), work);
    });
    this.transactions = result.catch(() => undefined);
    return result;
  }

  async skipsLocked(): Promise<boolean> {
    return false;
  }

  async missingTables(): Promise<string[]> {
    return this.gate.pass(
      (database) => {
        const find = database.prepare(
          sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name = ${sql.open}`.sql,
        );
        return this.dialect.tables.all
          .map((table) => table.sql)
          .filter((table) => find.all(unquoted(table)).length === 0);
      },
      'look for the tables',
      false,
    );
  }

  private runNow<T>(
    database: SqliteDatabase,
    operation: Operation<T>,
    check: (statement: Fragment) => void = () => undefined,
  ): T {
    let step = operation.next();
    while (!step.done) {
      let results: StatementResult[];
      try {
        results = step.value.map((statement) => {
          check(statement);
          const { parameters } = statement;
          const prepared = this.prepared(database, statement.sql);
          return prepared.reader
            ? rowsResult(prepared.all(...parameters))
            : { rows: [], affected: prepared.run(...parameters).changes };
        });
      } catch (error) {
        step = operation.throw(error);
        continue;
      }
      step = operation.next(results);
    }
    return step.value;
  }

  private prepared(database: SqliteDatabase, text: string): SqliteStatement {
    if (database !== sqliteDatabaseOf(this.dataSource)) {
      return database.prepare(text);
    }
    if (this.cachedFor !== database) {
      this.clearStatements();
      this.cachedFor = database;
    }
    let statement = this.statements.get(text);
    if (!statement) {
      statement = database.prepare(text);
      if (this.characters + text.length > CACHED_CHARACTERS) {
        this.clearStatements();
      }
      this.statements.set(text, statement);
      this.characters += text.length;
    }
    return statement;
  }

  private clearStatements(): void {
    this.statements.clear();
    this.characters = 0;
  }
}

/**
 * EXCLUSIVE, not IMMEDIATE: with the rollback journal, IMMEDIATE holds the write lock while it waits for readers. If a
 * reader in another process then wants to write, it fails at once.
 */
function transact<T>(database: SqliteDatabase, work: () => T): T {
  database.exec(sql`BEGIN EXCLUSIVE`.sql);
  try {
    const result = work();
    database.exec(sql`COMMIT`.sql);
    return result;
  } catch (error) {
    if (database.inTransaction) {
      database.exec(sql`ROLLBACK`.sql);
    }
    throw error;
  }
}

/** The result of a statement with rows, which may be an UPDATE … RETURNING. */
function rowsResult(rows: StatementResult['rows']): StatementResult {
  return { rows, affected: rows.length };
}

/** Errors of the file or the machine, not of the statement. */
const UNAVAILABLE = /^SQLITE_(?:IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL|CORRUPT|NOTADB)/;

function translate(error: unknown, purpose: string): unknown {
  const code = codeOf(error);
  if (code === 'SQLITE_FULL') {
    return new DatabaseFullError(purpose, error);
  }
  if (code === 'SQLITE_TOOBIG') {
    return new ValueRefusedError(purpose, error);
  }
  if (UNAVAILABLE.test(code)) {
    return new DatabaseUnavailableError(purpose, error, 'Check the file, its folder and the disk.');
  }
  const message = String((error as { message?: unknown }).message);
  const table = /no such table: (?:main\.)?(\S+)/.exec(message)?.[1];
  const column = /no such column: (?:\w+\.)?(\w+)|has no column named (\w+)/.exec(message);
  return table || column ? new MissingTablesError(table ? [table] : [], error, column?.[1] ?? column?.[2]) : error;
}

/** The driver's code, also of an error that TypeORM has wrapped. */
function codeOf(error: unknown): string {
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code);
}

/** The name in an identifier: its last part, without quotes. */
function unquoted(table: string): string {
  return table.replace(/^.*"\."|^"|"$/g, '').replaceAll('""', '"');
}

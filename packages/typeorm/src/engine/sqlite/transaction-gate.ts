import type { DataSource, EntitySubscriberInterface } from 'typeorm';

import { DatabaseBusyError } from '../../errors/index.js';
import { sql } from '../sql.js';
import { subscribe } from '../subscribe.js';
import { ProcessGate } from './process-gate.js';
import { type SqliteDatabase, sqliteDatabaseOf } from './sqlite-database.js';

/** How long work waits for the application's transactions, or for another process, in ms. */
const PATIENCE = 10_000;
/** How long to wait before another try, in ms: at first, and at most. */
const FIRST_RETRY = 1;
const SLOWEST_RETRY = 10;

interface Waiting {
  readonly purpose: string;
  readonly since: number;
  /** Runs the work; false when the database is busy. */
  attempt(): boolean;
  fail(error: Error): void;
}

/**
 * Lets the queue use the application's SQLite connection without writing inside one of the application's transactions.
 *
 * TypeORM gives the whole application one connection; `inTransaction` shows whether a transaction is open on it. Work
 * is synchronous, so no transaction can start between that check and the end of the work. While one is open, work
 * waits, and runs right after its COMMIT or ROLLBACK, before the application's code continues: an application with one
 * transaction after another does not starve it.
 *
 * The `ProcessGate` and SQLite's locks keep other processes apart. Waiting inside SQLite would block the event loop, so
 * the busy timeout is 0 while work runs, and work that is refused is tried again later.
 */
export class TransactionGate {
  private static readonly gates = new WeakMap<DataSource, TransactionGate>();

  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private retryIn = FIRST_RETRY;
  private processGate: { readonly database: SqliteDatabase; readonly gate: ProcessGate } | undefined;

  private readonly subscriber: EntitySubscriberInterface;

  private constructor(private readonly dataSource: DataSource) {
    const onEnd = () => {
      if (!sqliteDatabaseOf(dataSource).inTransaction) {
        this.gateOfProcesses()?.endTransaction();
        this.runWaiting();
      }
    };
    this.subscriber = {
      afterTransactionStart: () => this.gateOfProcesses()?.beginTransaction(),
      afterTransactionCommit: onEnd,
      afterTransactionRollback: onEnd,
    };
  }

  static of(dataSource: DataSource): TransactionGate {
    let gate = TransactionGate.gates.get(dataSource);
    if (!gate) {
      gate = new TransactionGate(dataSource);
      TransactionGate.gates.set(dataSource, gate);
    }
    subscribe(dataSource, gate.subscriber);
    return gate;
  }

  /**
   * Runs synchronous work as soon as no transaction is open.
   *
   * @param writes whether it must also wait for the application's transactions in other processes.
   * @throws DatabaseBusyError when that takes longer than ten seconds.
   */
  pass<T>(work: (database: SqliteDatabase) => T, purpose: string, writes: boolean): Promise<T> {
    subscribe(this.dataSource, this.subscriber);
    return new Promise<T>((resolve, reject) => {
      const attempt = () => {
        try {
          const database = sqliteDatabaseOf(this.dataSource);
          if (database.inTransaction) {
            return false;
          }
          resolve(withoutWaiting(database, () => (writes ? this.whileAlone(() => work(database)) : work(database))));
        } catch (error) {
          if (isBusy(error)) {
            return false;
          }
          // It may hold the turnstile since an earlier try.
          this.processGate?.gate.cancelWorkerWrite();
          reject(error);
        }
        return true;
      };
      this.waiting.push({ purpose, since: performance.now(), attempt, fail: reject });
      if (this.waiting.length === 1) {
        this.runWaiting();
      }
    });
  }

  private whileAlone<T>(work: () => T): T {
    const processes = this.gateOfProcesses();
    processes?.beginWorkerWrite();
    try {
      return work();
    } finally {
      processes?.endWorkerWrite();
    }
  }

  /** Undefined for `:memory:`. A data source that was connected again has another database. */
  private gateOfProcesses(): ProcessGate | undefined {
    const database = sqliteDatabaseOf(this.dataSource);
    if (database.memory) {
      return undefined;
    }
    if (this.processGate?.database !== database) {
      this.processGate?.gate.dispose();
      this.processGate = { database, gate: new ProcessGate(database) };
    }
    return this.processGate.gate;
  }

  /** Runs waiting work in order until the database is busy. */
  private runWaiting(): void {
    let first: Waiting | undefined;
    while ((first = this.waiting[0])) {
      if (!first.attempt()) {
        const waited = performance.now() - first.since;
        if (waited < PATIENCE) {
          this.retryLater();
          return;
        }
        this.processGate?.gate.cancelWorkerWrite();
        first.fail(new DatabaseBusyError(first.purpose, reasonAfter(waited)));
      }
      this.waiting.shift();
      this.retryIn = FIRST_RETRY;
    }
  }

  /** For transactions that end without notice from TypeORM, and for locks of other processes. */
  private retryLater(): void {
    if (this.timer) {
      return;
    }
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.retryIn = Math.min(this.retryIn * 2, SLOWEST_RETRY);
      this.runWaiting();
    }, this.retryIn);
  }
}

function withoutWaiting<T>(database: SqliteDatabase, work: () => T): T {
  if (database.memory) {
    return work();
  }
  const timeout = database.pragma('busy_timeout', { simple: true }) as number;
  database.pragma('busy_timeout = 0');
  try {
    return work();
  } finally {
    database.pragma(sql`busy_timeout = ${sql.integer(timeout)}`.sql);
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}

function reasonAfter(waited: number): string {
  return (
    `for ${Math.round(waited)} ms a transaction was open on this SQLite connection, or the file was locked. ` +
    'If this call is inside that transaction, pass { manager } or { queryRunner }.'
  );
}

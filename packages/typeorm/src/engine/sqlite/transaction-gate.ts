import type { DataSource, EntitySubscriberInterface } from 'typeorm';

import { DatabaseBusyError } from '../../errors/index.js';
import { subscribe } from '../subscribe.js';
import { ProcessGate } from './process-gate.js';
import { type SqliteDatabase, sqliteDatabaseOf } from './sqlite-database.js';

/** How long work waits for the application's transactions, or for another process, in ms. */
const PATIENCE = 10_000;
/** How long to wait before looking again, in ms: at first, and at most. */
const FIRST_LOOK = 1;
const SLOWEST_LOOK = 10;

interface Waiting {
  readonly purpose: string;
  readonly since: number;
  /** Runs the work; false when the database is still taken. */
  attempt(): boolean;
  fail(error: Error): void;
}

/**
 * Lets the queue use the application's SQLite connection without ever writing inside one of its transactions.
 *
 * TypeORM gives the whole application one connection, and `inTransaction` tells, in the same tick, whether somebody's
 * transaction is open on it. Work is synchronous, so between that look and its end nothing can begin one. While one is
 * open, work waits in line and is let in right after that transaction's COMMIT or ROLLBACK, before the application's
 * code goes on: also an application that opens one transaction after another starves nobody.
 *
 * Other processes are kept apart by the `ProcessGate` and SQLite's own locks. Work must not wait for them inside SQLite,
 * that would stop this event loop, so the busy timeout is 0 while it runs and it comes back later.
 */
export class TransactionGate {
  private static readonly gates = new WeakMap<DataSource, TransactionGate>();

  private readonly line: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private nextLook = FIRST_LOOK;
  private between: { readonly database: SqliteDatabase; readonly processes: ProcessGate } | undefined;

  private readonly subscriber: EntitySubscriberInterface;

  private constructor(private readonly dataSource: DataSource) {
    const ended = () => {
      if (!sqliteDatabaseOf(dataSource).inTransaction) {
        this.processes()?.transactionEnds();
        this.admit();
      }
    };
    this.subscriber = {
      afterTransactionStart: () => this.processes()?.transactionBegins(),
      afterTransactionCommit: ended,
      afterTransactionRollback: ended,
    };
  }

  /** The one gate of a data source. */
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
   * @param writes whether it also has to wait for the application's transactions in other processes.
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
          resolve(withoutWaiting(database, () => (writes ? this.alone(() => work(database)) : work(database))));
        } catch (error) {
          if (isBusy(error)) {
            return false;
          }
          // It may hold the turnstile since it was refused before.
          this.between?.processes.workerGivesUp();
          reject(error);
        }
        return true;
      };
      this.line.push({ purpose, since: performance.now(), attempt, fail: reject });
      if (this.line.length === 1) {
        this.admit();
      }
    });
  }

  private alone<T>(work: () => T): T {
    const processes = this.processes();
    processes?.workerEnters();
    try {
      return work();
    } finally {
      processes?.workerLeaves();
    }
  }

  /** A data source that is connected again has another database. */
  private processes(): ProcessGate | undefined {
    const database = sqliteDatabaseOf(this.dataSource);
    if (database.memory) {
      return undefined;
    }
    if (this.between?.database !== database) {
      this.between?.processes.dispose();
      this.between = { database, processes: new ProcessGate(database) };
    }
    return this.between.processes;
  }

  /** Lets in who waits, in order, until the database is taken again. */
  private admit(): void {
    let first: Waiting | undefined;
    while ((first = this.line[0])) {
      if (!first.attempt()) {
        const waited = performance.now() - first.since;
        if (waited < PATIENCE) {
          this.lookAgain();
          return;
        }
        this.between?.processes.workerGivesUp();
        first.fail(new DatabaseBusyError(first.purpose, reasonAfter(waited)));
      }
      this.line.shift();
      this.nextLook = FIRST_LOOK;
    }
  }

  /** For transactions that end without TypeORM's knowledge, and for locks of other processes. */
  private lookAgain(): void {
    if (this.timer) {
      return;
    }
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.nextLook = Math.min(this.nextLook * 2, SLOWEST_LOOK);
      this.admit();
    }, this.nextLook);
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
    database.pragma(`busy_timeout = ${Math.trunc(timeout)}`);
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}

function reasonAfter(waited: number): string {
  return (
    `for ${Math.round(waited)} ms a transaction was open on this SQLite connection, or the file was locked. ` +
    'If this call stands inside that transaction, pass it on: { manager } or { queryRunner }.'
  );
}

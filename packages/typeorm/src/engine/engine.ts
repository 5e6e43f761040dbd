import type { QueryRunner } from 'typeorm';

import type { Dialect } from './dialect.js';
import type { LockSession } from './lock-session.js';
import type { Operation } from './operation.js';

/** How an operation is to be run. */
export interface ExecuteOptions {
  /** What it does, for error texts: "Cannot <purpose>: …". */
  readonly purpose: string;
  /**
   * Whether all its statements take effect together or not at all: true runs it in a transaction, 'by itself' says that
   * it begins and commits its own. Default: false.
   */
  readonly atomic?: boolean | 'by itself';
  /** Whether it only reads. SQLite then takes no write lock. Default: false. */
  readonly readOnly?: boolean;
  /**
   * Whether to run it again when the connection broke and nobody knows whether it took effect. Only for operations
   * that change nothing the second time. Default: true.
   */
  readonly repeatable?: boolean;
  /**
   * Whether to open a connection for it rather than trust one that is idle: one of those has not answered for too long. On
   * a worker's connections only. Default: false.
   */
  readonly isSuspicious?: boolean;
}

/** An operation, made anew for each try. `again` tells that an earlier try may have taken effect. */
export type OperationFactory<T> = (dialect: Dialect, again: boolean) => Operation<T>;

/** How a transaction has ended. `unknown` when its COMMIT failed in a way that says nothing about it. */
export type TransactionEnd = 'committed' | 'rolled back' | { readonly unknown: unknown };

/** Runs operations on one kind of database. */
export interface Engine {
  readonly dialect: Dialect;
  /** Whether an operation takes no turn of the event loop: the driver does not wait for a server. */
  readonly isSynchronous: boolean;

  /** Connects. Idempotent. */
  open(): Promise<void>;
  /** Disconnects what this engine has opened itself. Idempotent. */
  close(): Promise<void>;

  /**
   * Runs an operation on a connection of its own, outside every transaction of the application. Tries again by
   * itself where that is safe.
   */
  execute<T>(factory: OperationFactory<T>, options: ExecuteOptions): Promise<T>;

  /** Runs an operation on the caller's connection, inside the transaction open there. Never tries again. */
  executeOn<T>(queryRunner: QueryRunner, factory: OperationFactory<T>, purpose: string): Promise<T>;

  /**
   * Runs work in a transaction of its own on one of the application's connections.
   *
   * @param work says whether to commit; when it throws the transaction is rolled back.
   */
  transact(work: (queryRunner: QueryRunner) => Promise<boolean>): Promise<TransactionEnd>;

  /**
   * An engine for a worker: one that the application's own use of its connections cannot starve.
   *
   * @param patience how long it waits for an answer of the server, in ms.
   * @param onWritten told of each operation that has written; not on SQLite, which is never away.
   */
  dedicated(patience: number, onWritten?: () => void): Engine;

  /** Whether workers may rely on SKIP LOCKED: tried, not looked up. Never on SQLite, which locks no rows. */
  skipsLocked(): Promise<boolean>;

  /**
   * Opens a connection that can hold named locks. There is no such method where the database has none.
   *
   * @param silence how long the server keeps it, and its locks, without hearing of it, in ms.
   * @throws DatabaseUnavailableError
   */
  openLockSession?(silence: number): Promise<LockSession>;

  /** Tells the tables that are missing. */
  missingTables(): Promise<string[]>;
}

import type { QueryRunner } from 'typeorm';

import type { Dialect } from './dialect.js';
import type { LockSession } from './lock-session.js';
import type { Operation } from './operation.js';
import type { TransactionHandle } from './transaction-handle.js';

/** How to run an operation. */
export interface ExecuteOptions {
  /** What it does, for error messages: "Cannot <purpose>: …". */
  readonly purpose: string;
  /**
   * Whether all its statements take effect together or not at all: true runs it in a transaction, `'by operation'`
   * means that the operation starts and commits a transaction. A function decides for the session. Default: false.
   */
  readonly atomic?: boolean | 'by operation' | ((dialect: Dialect) => boolean);
  /**
   * Whether its transaction must not lock gaps, for which enqueues would wait: it is at READ COMMITTED also on the
   * application's connections, with one more round trip. Default: false.
   */
  readonly withoutGaps?: boolean;
  /** Whether it only reads. SQLite then takes no write lock. Default: false. */
  readonly readOnly?: boolean;
  /**
   * Whether to run it again when the connection broke and its outcome is unknown. Only for operations that change
   * nothing the second time. Default: true.
   */
  readonly repeatable?: boolean;
  /**
   * Whether to open a new connection instead of using an idle one, because one of those has not answered for too long.
   * On a worker's connections only. Default: false.
   */
  readonly freshConnection?: boolean;
}

/** Makes an operation for each try. `isRetry`: an earlier try may have taken effect. */
export type OperationFactory<T> = (dialect: Dialect, isRetry: boolean) => Operation<T>;

/** How a transaction ended. `unknown` when its COMMIT failed and may or may not have taken effect. */
export type TransactionEnd = 'committed' | 'rolled back' | { readonly unknown: unknown };

/** Runs operations on one kind of database. */
export interface Engine {
  readonly dialect: Dialect;
  /** Whether an operation runs within one turn of the event loop, because there is no server to wait for. */
  readonly isSynchronous: boolean;

  /** Connects. Idempotent. */
  open(): Promise<void>;
  /**
   * Closes the connections that this engine has opened. Idempotent.
   *
   * @param patience how long to wait for statements under way, in ms. Default: the engine's patience.
   */
  close(patience?: number): Promise<void>;

  /** Runs an operation outside every transaction of the application. Tries again where that is safe. */
  execute<T>(factory: OperationFactory<T>, options: ExecuteOptions): Promise<T>;

  /** Runs an operation inside the caller's open transaction. Never tries again. */
  executeOn<T>(handle: TransactionHandle, factory: OperationFactory<T>, purpose: string): Promise<T>;

  /**
   * Runs work in a new transaction on one of the application's connections.
   *
   * @param work returns whether to commit; when it throws the transaction is rolled back.
   */
  transact(work: (queryRunner: QueryRunner) => Promise<boolean>): Promise<TransactionEnd>;

  /**
   * An engine for a worker, with connections that the application cannot use up.
   *
   * @param patience how long it waits for an answer of the server, in ms.
   * @param onWritten called after each operation that has changed rows; not on SQLite, which has no connection to lose.
   */
  dedicated(patience: number, onWritten?: () => void): Engine;

  /** Tests whether SKIP LOCKED works on this server. False on SQLite, which locks no rows. */
  skipsLocked(): Promise<boolean>;

  /**
   * Opens a connection that can hold named locks. Missing where the database has no named locks.
   *
   * @param idleTimeout after how long without a statement the server closes it and frees its locks, in ms.
   * @throws DatabaseUnavailableError
   */
  openLockSession?(idleTimeout: number): Promise<LockSession>;

  missingTables(): Promise<string[]>;
}

/** Runs an operation inside the caller's open transaction if there is one, and otherwise outside. */
export function executeIn<T>(
  engine: Engine,
  handle: TransactionHandle | undefined,
  factory: OperationFactory<T>,
  options: ExecuteOptions,
): Promise<T> {
  return handle ? engine.executeOn(handle, factory, options.purpose) : engine.execute(factory, options);
}

/** Runs an operation that only reads, outside every transaction of the application. */
export function executeRead<T>(engine: Engine, purpose: string, factory: OperationFactory<T>): Promise<T> {
  return engine.execute(factory, { purpose, readOnly: true });
}

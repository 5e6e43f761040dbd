import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

const ADVICE = "Check that the database server runs and accepts connections at the data source's host and port.";

/** The database did not answer, its connection broke, or it is read-only for now. The driver's error is the `cause`. */
export class DatabaseUnavailableError extends TableQueueError {
  static {
    brandError(this, 'DatabaseUnavailableError');
  }

  constructor(what: string, cause: unknown, advice = ADVICE) {
    const reason = cause instanceof Error ? cause.message || (cause as { code?: string }).code : String(cause);
    super(`Cannot ${what}: ${reason}. ${advice}`, { cause });
  }
}

/**
 * The disk of the database is full, or the space of its tables. The call took no effect. Workers store the outcomes of
 * finished jobs as soon as there is space.
 */
export class DatabaseFullError extends DatabaseUnavailableError {
  static {
    brandError(this, 'DatabaseFullError');
  }

  constructor(what: string, cause: unknown) {
    super(what, cause, 'Free space on the disk of the database, or let its files grow. You can prune finished jobs.');
  }
}

/**
 * A lock was held for longer than the queue waits: on SQLite the connection or the file, on MySQL and MariaDB rows. The
 * call took no effect.
 */
export class DatabaseBusyError extends TableQueueError {
  static {
    brandError(this, 'DatabaseBusyError');
  }

  constructor(what: string, reason: string, cause?: unknown) {
    super(`Cannot ${what}: ${reason}`, { cause });
  }
}

/**
 * The transaction of the call is gone. The server has rolled it back after a deadlock or another error, which your code
 * may have caught, or a statement has committed it. Nothing was stored: it would have been committed at once. The error
 * of the driver is the `cause`, if it is known.
 */
export class TransactionLostError extends TableQueueError {
  static {
    brandError(this, 'TransactionLostError');
  }

  /** The driver's code for the error, such as `ER_LOCK_DEADLOCK`, for functions that try again after it. */
  readonly code: string | undefined;
  /** The server's number for the error, such as 1213. */
  readonly errno: number | undefined;

  constructor(what: string, cause?: unknown) {
    const reason = cause instanceof Error ? ` after "${cause.message}"` : '';
    super(
      `Cannot ${what}: the database has ended this transaction${reason}, so later statements would be committed ` +
        'one by one. Nothing was stored. Let this error end the transaction, and run the whole transaction again.' +
        seeDocs('internals/crashes.md'),
      { cause },
    );
    const { code, errno } = (cause ?? {}) as { readonly code?: string; readonly errno?: number };
    this.code = code;
    this.errno = errno;
  }
}

/**
 * The transaction of the call is not open. It was committed or rolled back before the call was done, or the database has
 * ended the one in `via` after an error. Nothing was stored.
 */
export class TransactionEndedError extends TableQueueError {
  static {
    brandError(this, 'TransactionEndedError');
  }

  constructor(
    /** The client of the transaction, such as `TypeORM` or `Knex`. */
    readonly client: string,
    cause?: unknown,
  ) {
    super(
      `The transaction of ${client} for this call is not open: it was committed or rolled back, or the database has ` +
        'ended it after an error. Nothing was stored: it would have been committed on its own. Await each call ' +
        'before the transaction ends, and after an error run the whole transaction again. With autocommit = 0, ' +
        'begin it with START TRANSACTION.' +
        seeDocs('guides/other-clients.md'),
      { cause },
    );
  }
}

/**
 * The database account lacks a privilege that the call needs. The call took no effect. The driver's error is the
 * `cause`. Thrown on MySQL and MariaDB.
 */
export class MissingPrivilegeError extends TableQueueError {
  static {
    brandError(this, 'MissingPrivilegeError');
  }

  constructor(
    what: string,
    /** What to grant: `DELETE ON tq_job`; undefined if the server's message does not show it. */
    readonly privilege: string | undefined,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = privilege === undefined ? 'Grant the missing privilege' : `Run GRANT ${privilege} TO the account`;
    super(
      `Cannot ${what}: ${reason}. ${advice}; "npx tablequeue doctor" prints every missing GRANT.` +
        seeDocs('reference/databases.md#privileges'),
      { cause },
    );
  }
}

/** The queue's tables are not in the database, or they are older than this release and lack a column. */
export class MissingTablesError extends TableQueueError {
  static {
    brandError(this, 'MissingTablesError');
  }

  /** @param column the column that is missing, if the table is there. */
  constructor(
    /** The tables that were not found. Empty if a column is missing. */
    readonly tables: readonly string[],
    cause?: unknown,
    column?: string,
  ) {
    super(
      (column === undefined
        ? `The database has no table ${tables.join(', ')}. Call upTableQueue(queryRunner) from a migration of ` +
          'your own and run it, or switch "synchronize" on while developing.'
        : `The queue's tables have no column "${column}": they are older than this release. Call ` +
          'upTableQueue(queryRunner, { from }) from a new migration, with the version they have now, and run it.') +
        seeDocs('operate/upgrades.md'),
      { cause },
    );
  }
}

/** A statement is larger than `max_allowed_packet` of the server. Nothing was stored. */
export class StatementTooLargeError extends TableQueueError {
  static {
    brandError(this, 'StatementTooLargeError');
  }

  /** @param sizes how large the statement would be, if it was not sent. */
  constructor(what: string, cause?: unknown, sizes?: { readonly bytes: number; readonly limit: number }) {
    const found = sizes
      ? `its payload and other texts take ${sizes.bytes} bytes in a statement, and max_allowed_packet of the ` +
        `server is ${sizes.limit}`
      : "the statement is larger than the server's max_allowed_packet";
    super(
      `Cannot ${what}: ${found}. Raise max_allowed_packet, or store large data elsewhere and lower "maxPayloadBytes" ` +
        'so that large payloads and results are rejected before they are sent.' +
        seeDocs('reference/databases.md#mysql-and-mariadb'),
      { cause },
    );
  }
}

/**
 * The database rejects a value: it is longer than its column, or contains characters that the character set of the
 * column lacks. Nothing was stored. The driver's error is the `cause`.
 */
export class ValueRefusedError extends TableQueueError {
  static {
    brandError(this, 'ValueRefusedError');
  }

  constructor(what: string, cause: unknown) {
    super(
      `Cannot ${what}: ${cause instanceof Error ? cause.message : String(cause)}. Compare the columns of the ` +
        "queue's tables with those of its migration, or store a shorter value." +
        seeDocs('operate/upgrades.md'),
      { cause },
    );
  }
}

/**
 * Returns whether an error comes from the state of the database and not from the values of the call: the same call may
 * succeed later.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError ||
    error instanceof DatabaseBusyError ||
    error instanceof MissingPrivilegeError ||
    error instanceof MissingTablesError
  );
}

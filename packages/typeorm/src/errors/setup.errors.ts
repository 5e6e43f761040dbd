import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/** A queue was made on a data source that is not connected yet, or was closed. */
export class DataSourceNotInitializedError extends TableQueueError {
  static {
    brandError(this, 'DataSourceNotInitializedError');
  }

  constructor() {
    super(
      'The data source is not initialized. Call "await dataSource.initialize()" before making a TableQueue on it.' +
        seeDocs('start/quick-start.md'),
    );
  }
}

/**
 * The queue's entities of the data source are missing, have several prefixes, or were made for another type of
 * database; the last is thrown by `dataSource.initialize()`. The message names the cause and the remedy.
 */
export class EntityError extends TableQueueError {
  static {
    brandError(this, 'EntityError');
  }
}

/** The type of the data source, or the version of its server, is not supported. */
export class UnsupportedDatabaseError extends TableQueueError {
  static {
    brandError(this, 'UnsupportedDatabaseError');
  }

  constructor(
    found: string,
    advice = 'Use MySQL 5.6.24 or newer, MariaDB 10.5 or newer, or SQLite through better-sqlite3.',
  ) {
    super(`Tablequeue does not work on ${found}. ${advice}` + seeDocs('reference/databases.md'));
  }
}

/** The connections of the data source have a setting that breaks the statements of the queue. */
export class UnsupportedSessionError extends TableQueueError {
  static {
    brandError(this, 'UnsupportedSessionError');
  }

  constructor(
    /** The setting, as the server shows it: `sql_mode = NO_BACKSLASH_ESCAPES`. */
    readonly setting: string,
    consequence: string,
    advice: string,
  ) {
    super(
      `Tablequeue cannot use a connection with ${setting}: ${consequence}. ${advice}` +
        seeDocs('reference/databases.md#session-settings'),
    );
  }
}

/** Two handlers were registered for one job definition. */
export class DuplicateHandlerError extends TableQueueError {
  static {
    brandError(this, 'DuplicateHandlerError');
  }

  constructor(
    /** The name of the job. */
    readonly jobName: string,
    /** The locations of the two handlers. */
    readonly locations: readonly [string, string],
  ) {
    super(
      `The job "${jobName}" has two handlers: ${locations[0]} and ${locations[1]}. ` +
        'A job has one handler: remove one, or give it a job definition of its own.' +
        seeDocs('guides/handlers.md'),
    );
  }
}

/** A call that the current state of the worker does not allow, such as a second `start`. */
export class WorkerStateError extends TableQueueError {
  static {
    brandError(this, 'WorkerStateError');
  }
}

/** No worker with this id has a lease: it has stopped or died, or has registered again with another id. */
export class UnknownWorkerError extends TableQueueError {
  static {
    brandError(this, 'UnknownWorkerError');
  }

  constructor(
    /** The id of the worker. */
    readonly workerId: number,
  ) {
    super(
      `No worker ${workerId} has a lease: it has stopped or died, or has lost its lease and registered again with ` +
        'another id. Find the id with "npx tablequeue workers", or in code with "queue.activity.workers()".' +
        seeDocs('operate/workers.md'),
    );
  }
}

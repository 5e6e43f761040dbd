/** The arguments are wrong. The process exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The database cannot be reached, or it rejects the account. */
export class ConnectionFailedError extends Error {
  override readonly name = 'ConnectionFailedError';

  constructor(database: string, reason: string, cause: unknown) {
    super(`Cannot connect to ${database}: ${reason}`, { cause });
  }
}

/** The database's driver is not installed in the project. */
export class MissingDriverError extends Error {
  override readonly name = 'MissingDriverError';

  constructor(
    readonly driver: string,
    folder: string,
  ) {
    super(`The driver ${driver} is not installed in ${folder}. Install it there: npm install ${driver}`);
  }
}

/** The database has no tables of the queue. */
export class NoTablesError extends Error {
  override readonly name = 'NoTablesError';

  /** @param migrate the command that creates them there. */
  constructor(database: string, prefix: string, migrate: string) {
    super(`${database} has no tables of the queue with the prefix "${prefix}". Create them: ${migrate}`);
  }
}

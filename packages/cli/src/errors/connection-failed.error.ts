/** The database cannot be reached, or it rejects the account. */
export class ConnectionFailedError extends Error {
  override readonly name = 'ConnectionFailedError';

  constructor(database: string, reason: string, cause: unknown) {
    super(`Cannot connect to ${database}: ${reason}`, { cause });
  }
}

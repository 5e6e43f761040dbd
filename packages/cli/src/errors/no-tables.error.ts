/** The database has no tables of the queue. */
export class NoTablesError extends Error {
  override readonly name = 'NoTablesError';

  constructor(database: string, prefix: string) {
    super(`${database} has no tables of the queue with the prefix "${prefix}". Create them: npx tablequeue migrate`);
  }
}

import { DataSource } from 'typeorm';

/** How many connections a worker opens at most: claim, settle, renew, maintain may all happen at once. */
const CONNECTIONS = 4;

/**
 * A small data source of the queue's own, made from the application's options. Handlers that use up the application's
 * pool can then neither stop the lease from being renewed nor finished jobs from being written down.
 */
export function dedicatedDataSource(application: DataSource): DataSource {
  const { options } = application;
  if (options.type !== 'mysql' && options.type !== 'mariadb') {
    throw new TypeError(`not a MySQL data source: ${options.type}`);
  }
  return new DataSource({
    ...options,
    extra: { ...(options.extra as object | undefined), connectionLimit: CONNECTIONS },
    poolSize: CONNECTIONS,
    // Whatever the application's is: an error's text may hold any letter.
    charset: 'utf8mb4_general_ci',
    entities: [],
    subscribers: [],
    migrations: [],
    synchronize: false,
    migrationsRun: false,
    dropSchema: false,
    cache: false,
    // Sessions are set to READ COMMITTED once; TypeORM would send another statement before each transaction.
    isolationLevel: undefined,
    // A poll each moment is noise in the application's query log. Errors are thrown, and reported by their catcher.
    logging: false,
  });
}

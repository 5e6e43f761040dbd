import { DataSource, type DataSourceOptions } from 'typeorm';

/**
 * A small data source of the queue's own, made from the application's options. Handlers that use up the application's
 * pool can then neither stop the lease from being renewed nor finished jobs from being written down.
 *
 * @param connections how many it opens at most.
 * @param differences what is to be otherwise than that.
 */
export function dedicatedDataSource(
  application: DataSource,
  connections: number,
  differences: Pick<Partial<DataSourceOptions>, 'type' | 'entities'> = {},
): DataSource {
  const { options } = application;
  if (options.type !== 'mysql' && options.type !== 'mariadb') {
    throw new TypeError(`not a MySQL data source: ${options.type}`);
  }
  return new DataSource({
    ...options,
    extra: { ...(options.extra as object | undefined), connectionLimit: connections },
    poolSize: connections,
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
    // The driver would take the stack of each statement's caller, 1 µs a job while a queue is drained; it shows the engine only.
    trace: false,
    ...differences,
  } as DataSourceOptions);
}

import { DataSource, type DataSourceOptions } from 'typeorm';

/** Not as the application has them. */
const POOL = {
  // How it reads columns is not for the queue's tables, whose ids are bytes.
  typeCast: undefined,
  // What wants a connection waits for one: there are fewer than may be wanted at a time.
  waitForConnections: true,
  queueLimit: 0,
  // Sessions are set up once.
  resetOnRelease: false,
  // An idle connection that is silent for longer, in ms, is one that a NAT or a firewall may forget without a word.
  enableKeepAlive: true,
  keepAliveInitialDelay: 30_000,
} as const;

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
    // A pool of the master alone: of several servers mysql2's PoolCluster forgets one for good after five errors.
    ...options.replication?.master,
    replication: undefined,
    extra: { ...(options.extra as object | undefined), ...POOL, connectionLimit: connections },
    poolSize: connections,
    // The driver would no longer wait for a statement that goes on at the server, and the queue has a patience of its own.
    enableQueryTimeout: false,
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

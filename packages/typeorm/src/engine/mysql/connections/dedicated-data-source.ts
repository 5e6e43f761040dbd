import { DataSource, type DataSourceOptions } from 'typeorm';

import { PLAIN_POOL } from './plain-results.js';

/** Differences from the application's pool. */
const POOL = {
  ...PLAIN_POOL,
  // There may be more requests than connections: they wait.
  waitForConnections: true,
  queueLimit: 0,
  // Sessions are set up once.
  resetOnRelease: false,
  // A NAT or a firewall may drop a connection that is idle for longer, in ms, without notice.
  enableKeepAlive: true,
  keepAliveInitialDelay: 30_000,
} as const;

/**
 * A small data source for the queue with the application's options. Handlers that use up the application's pool cannot
 * block the renewal of the lease and the outcomes of jobs.
 *
 * @param connections how many it opens at most.
 * @param differences other options to change.
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
    // The master only: with several servers mysql2's PoolCluster drops one forever after five errors.
    ...options.replication?.master,
    replication: undefined,
    extra: { ...(options.extra as object | undefined), ...POOL, connectionLimit: connections },
    poolSize: connections,
    // The driver would stop waiting for a statement that goes on in the server; the queue has its own deadlines.
    enableQueryTimeout: false,
    // Errors may contain any character.
    charset: 'utf8mb4_general_ci',
    entities: [],
    subscribers: [],
    migrations: [],
    synchronize: false,
    migrationsRun: false,
    dropSchema: false,
    cache: false,
    // Sessions are set to READ COMMITTED once; TypeORM would send a statement before each transaction.
    isolationLevel: undefined,
    // Polls would flood the application's query log. Errors are thrown and logged by the worker.
    logging: false,
    // The driver would record a stack for each statement, which shows the engine only and costs 1 µs a job.
    trace: false,
    ...differences,
  } as DataSourceOptions);
}

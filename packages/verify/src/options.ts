import { randomInt } from 'node:crypto';

import { InvalidOptionError } from '@tablequeue/typeorm';
import { assertKnownOptions, wholeNumber } from '@tablequeue/typeorm/internal';
import type { DataSourceOptions } from 'typeorm';

import { OptionsNotPortableError } from './errors.js';
import type { Fault } from './faults/fault.js';
import type { ServerControl } from './faults/server-control.js';
import type { Connection } from './processes/messages.js';

/** Options of `verify`. */
export interface VerifyOptions {
  /**
   * How to connect, without entities: `{ type: 'mariadb', url: 'mysql://root@127.0.0.1/test' }`. They are sent to other
   * processes, so they must be plain values. Use the option `driver` for a driver.
   */
  readonly dataSourceOptions: DataSourceOptions;
  /** The file of the driver, which the processes load. Default: the driver that TypeORM finds. */
  readonly driver?: string;
  /**
   * How long jobs are enqueued and faults occur, in ms, from 1 s to 24 h. The remaining jobs run after that. Default:
   * 60 s.
   */
  readonly durationMs?: number;
  /** The load ends after about so many jobs. Actions in progress still end. Default: no limit. */
  readonly jobs?: number;
  /**
   * About how many jobs all producers together enqueue in a second. A producer reaches about 1,000. The concurrency of
   * the workers increases with the rate. Default: 80.
   */
  readonly rate?: number;
  /** The number of worker processes, 2 to 50. One of them is always free of faults. Default: 3. */
  readonly workers?: number;
  /** The number of producer processes, 1 to 50. Default: 2. */
  readonly producers?: number;
  /** Determines the load and the faults: a whole number from 0 to 4,294,967,295. Default: a random one. */
  readonly seed?: number;
  /** The lease of the workers, in ms, from 2 s to 10 minutes. Some faults last longer than a lease. Default: 5 s. */
  readonly lease?: number;
  /** The faults, by name or as objects. Faults whose needs are not available are skipped. Default: all faults. */
  readonly faults?: readonly (Fault | string)[];
  /** Controls the server. Default: none, so faults that need it are skipped. */
  readonly server?: ServerControl;
  /** URLs of modules that run in each process before anything else. For tests of verify itself. */
  readonly imports?: readonly string[];
  /** Ends the run early: all faults are healed, the tables are dropped, and `verify` throws the reason. */
  readonly signal?: AbortSignal;
  /** Called with each line of progress. */
  readonly onProgress?: (line: string) => void;
}

/** The validated options, with defaults. */
export interface ResolvedOptions {
  readonly connection: Connection;
  readonly database: 'mysql' | 'mariadb' | 'better-sqlite3';
  readonly durationMs: number;
  readonly jobs: number;
  readonly rate: number;
  readonly workers: number;
  readonly producers: number;
  readonly seed: number;
  readonly lease: number;
  readonly imports: readonly string[];
  readonly onProgress: (line: string) => void;
}

const DATABASES = ['mysql', 'mariadb', 'better-sqlite3'] as const;

const OPTIONS: readonly (keyof VerifyOptions)[] = [
  'dataSourceOptions',
  'driver',
  'durationMs',
  'jobs',
  'rate',
  'workers',
  'producers',
  'seed',
  'lease',
  'faults',
  'server',
  'imports',
  'signal',
  'onProgress',
];

/** @throws InvalidOptionError, UnknownOptionError, OptionsNotPortableError */
export function resolveOptions(options: VerifyOptions): ResolvedOptions {
  assertKnownOptions(options, OPTIONS);
  const { dataSourceOptions, driver, imports = [], onProgress = () => undefined } = options;
  const database = DATABASES.find((each) => each === dataSourceOptions.type);
  if (!database) {
    throw new InvalidOptionError('dataSourceOptions.type', dataSourceOptions.type, DATABASES.join(', '));
  }
  if (database === 'better-sqlite3' && String(dataSourceOptions.database) === ':memory:') {
    throw new InvalidOptionError('dataSourceOptions.database', ':memory:', 'a file, because several processes use it');
  }
  return {
    connection: { options: portable(dataSourceOptions), driver },
    database,
    durationMs: wholeNumber('durationMs', options.durationMs ?? 60_000, 1_000, 24 * 3_600_000),
    jobs: options.jobs === undefined ? Infinity : wholeNumber('jobs', options.jobs, 1, Number.MAX_SAFE_INTEGER),
    rate: wholeNumber('rate', options.rate ?? 80, 1, 100_000),
    workers: wholeNumber('workers', options.workers ?? 3, 2, 50),
    producers: wholeNumber('producers', options.producers ?? 2, 1, 50),
    seed: wholeNumber('seed', options.seed ?? randomInt(2 ** 32), 0, 2 ** 32 - 1),
    lease: wholeNumber('lease', options.lease ?? 5_000, 2_000, 600_000),
    imports,
    onProgress,
  };
}

/** Returns the options that can be sent to other processes, without the code of the application. */
function portable(options: DataSourceOptions): DataSourceOptions {
  const plain = {
    ...options,
    driver: undefined,
    entities: [],
    subscribers: [],
    migrations: [],
    namingStrategy: undefined,
    logger: undefined,
    logging: false,
    synchronize: false,
    migrationsRun: false,
    dropSchema: false,
    cache: false,
  } as DataSourceOptions;
  try {
    return structuredClone(plain);
  } catch (error) {
    throw new OptionsNotPortableError(error);
  }
}

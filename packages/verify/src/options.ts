import { randomInt } from 'node:crypto';

import { InvalidOptionError } from '@tablequeue/typeorm';
import { assertKnownOptions, wholeNumber } from '@tablequeue/typeorm/internal';
import type { DataSourceOptions } from 'typeorm';

import { OptionsNotPortableError } from './errors/index.js';
import type { Fault } from './faults/fault.js';
import type { ServerControl } from './faults/server-control.js';
import type { Connection } from './processes/messages.js';

/** What `verify` is told. */
export interface VerifyOptions {
  /**
   * How to connect, without entities: `{ type: 'mariadb', url: 'mysql://root@127.0.0.1/test' }`. They go to other processes,
   * so they hold plain values only; a `driver` is left out, see below.
   */
  readonly dataSourceOptions: DataSourceOptions;
  /** The file of the driver, to be required by the processes. Default: what TypeORM finds by itself. */
  readonly driver?: string;
  /** How long jobs are enqueued and faults strike, in ms, from 1 s to 24 h. After that comes the draining. Default: 60 s. */
  readonly durationMs?: number;
  /** After how many jobs the load ends, about: what is under way is not broken off. Default: when the time is over. */
  readonly jobs?: number;
  /**
   * How many jobs are enqueued in a second, about, by all producers together; each reaches about 1,000. Workers run more
   * of them at a time the more there are. Default: 80.
   */
  readonly rate?: number;
  /** How many worker processes there are, 2 to 50: while a fault has one, another has to go on. Default: 3. */
  readonly workers?: number;
  /** How many producer processes there are, 1 to 50. Default: 2. */
  readonly producers?: number;
  /** What load and faults are drawn from: a whole number from 0 to 4,294,967,295. Default: a random one. */
  readonly seed?: number;
  /** The lease of the workers, in ms, from 2 s. Faults last for longer than that. Default: 5 s. */
  readonly lease?: number;
  /**
   * The faults, by name or as they are; those that need what is not there are left out. Default: all there are.
   */
  readonly faults?: readonly (Fault | string)[];
  /** Hands that can be laid on the server. Default: none, and no fault that needs it. */
  readonly server?: ServerControl;
  /** Modules that run in each process before anything else, as URLs: for tests of the bench. */
  readonly imports?: readonly string[];
  /** Ends it early: everything is healed and removed, and `verify` throws the reason. */
  readonly signal?: AbortSignal;
  /** Is told what goes on, line by line. */
  readonly onProgress?: (line: string) => void;
}

/** Options, checked and complete. */
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
    throw new InvalidOptionError('dataSourceOptions.database', ':memory:', 'a file: processes share it');
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

/** What other processes can be given of them: nothing of the application's. */
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

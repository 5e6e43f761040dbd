import type { EntityManager } from 'typeorm';

import { DEFAULT_MAX_PAYLOAD_BYTES, LARGEST_PAYLOAD } from '../definition/payload-codec.js';
import { type DatabaseClock, databaseClock } from '../engine/clock.js';
import { InvalidOptionError } from '../errors/index.js';
import { safeInstrumentation } from '../instrumentation/safe-instrumentation.js';
import type { Instrumentation } from '../instrumentation/instrumentation.js';
import { type QueueLogger, safeLogger, consoleLogger, redactingLogger } from '../logger.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { type Redact, safeRedact, unredacted } from '../redaction.js';
import { type AmbientOptions, OUTSIDE_TRANSACTION } from './enqueue/caller-transaction.js';

/** What a `TableQueue` takes besides its data source. */
export interface TableQueueOptions {
  /** The largest payload, in bytes of JSON, from 1 to 512 MiB. Default: 1 MiB. */
  readonly maxPayloadBytes?: number;
  /**
   * What to do when something is enqueued, cancelled or retried beside a transaction that the caller has begun, without being
   * handed its manager: `'warn'`, once for each kind of call, `'throw'` an `OutsideTransactionError`, or `'allow'` it.
   * Default: `'warn'`.
   */
  readonly outsideTransaction?: 'warn' | 'throw' | 'allow';
  /**
   * Returns the manager of the transaction that calls without `manager` and `queryRunner` are to be part of, or undefined
   * where there is none: for libraries that keep a current transaction, such as nestjs-cls. One that replaces the data
   * source's own manager, as typeorm-transactional does, is found without it.
   */
  readonly currentManager?: () => EntityManager | undefined;
  /**
   * Is told of every job that is enqueued and run: `openTelemetry()` of `@tablequeue/typeorm/opentelemetry`, or a
   * `PrometheusMetrics` of `@tablequeue/typeorm/prometheus`. Default: nobody is told.
   */
  readonly instrumentation?: Instrumentation;
  /**
   * Is given each text of an error, with stack and causes, before it is stored with a job, logged by the queue or a worker,
   * or told to the instrumentation; what it returns takes its place. Where it throws the whole text is left out. What
   * calls of the queue throw, and the errors that events carry, are as they are. Default: texts stay as they are.
   */
  readonly redact?: (text: string) => string;
  /**
   * Whether INSERTs of jobs outside the caller's transactions are prepared on a connection that sends the same for the third
   * time, on MySQL and MariaDB: enqueuing takes up to a quarter less time. Each connection keeps 8 statements at most, which together
   * take up to 7 MB of the server's memory. `false` is for what sits between the application and the server and ties a
   * client that prepares to one connection, such as Amazon RDS Proxy. Default: `true`.
   */
  readonly preparedStatements?: boolean;
  /** Where the queue reports what nobody awaits. Default: warnings and errors to the console. */
  readonly logger?: QueueLogger;
  /** For tests: `TestingClock`. Default: the database's clock as it is. */
  readonly clock?: DatabaseClock;
}

/** The names of the queue's options. */
export const QUEUE_OPTIONS: readonly string[] = [
  'maxPayloadBytes',
  'outsideTransaction',
  'currentManager',
  'instrumentation',
  'redact',
  'preparedStatements',
  'logger',
  'clock',
];

/** The options of a queue, checked and complete. */
export interface ResolvedTableQueueOptions {
  readonly maxPayloadBytes: number;
  readonly preparedStatements: boolean;
  readonly clock: DatabaseClock;
  readonly ambient: AmbientOptions;
  readonly instrumentation: Instrumentation | undefined;
  readonly redact: Redact;
}

/** @throws InvalidOptionError, UnknownOptionError */
export function resolveTableQueueOptions(options: TableQueueOptions): ResolvedTableQueueOptions {
  assertKnownOptions(options, QUEUE_OPTIONS);
  const {
    maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES,
    preparedStatements = true,
    clock = databaseClock,
    instrumentation,
    redact,
  } = options;
  if (typeof (clock as DatabaseClock | null)?.shift !== 'number') {
    throw new InvalidOptionError('clock', clock, 'a TestingClock');
  }
  if (redact !== undefined && typeof redact !== 'function') {
    throw new InvalidOptionError('redact', redact, 'a function from text to text');
  }
  if (typeof preparedStatements !== 'boolean') {
    throw new InvalidOptionError('preparedStatements', preparedStatements, 'true or false');
  }
  const careful = redact === undefined ? unredacted : safeRedact(redact);
  const ambient = resolveAmbient(options, careful);
  return {
    maxPayloadBytes: wholeNumber('maxPayloadBytes', maxPayloadBytes, 1, LARGEST_PAYLOAD),
    preparedStatements,
    clock,
    ambient,
    instrumentation: instrumentation && safeInstrumentation(instrumentation, ambient.logger, careful),
    redact: careful,
  };
}

function resolveAmbient(
  { outsideTransaction = 'warn', currentManager, logger = consoleLogger }: TableQueueOptions,
  redact: Redact,
): AmbientOptions {
  if (!OUTSIDE_TRANSACTION.includes(outsideTransaction)) {
    throw new InvalidOptionError('outsideTransaction', outsideTransaction, "'warn', 'throw' or 'allow'");
  }
  if (currentManager !== undefined && typeof currentManager !== 'function') {
    throw new InvalidOptionError(
      'currentManager',
      currentManager,
      'a function that returns an EntityManager or undefined',
    );
  }
  return { outsideTransaction, currentManager, logger: redactingLogger(safeLogger(logger), redact) };
}

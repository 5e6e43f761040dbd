import type { DataSource, EntityManager } from 'typeorm';

import { type CodecOption, resolveCodec } from '../codec/codec.js';
import { Codecs } from '../codec/codecs.js';
import { DEFAULT_MAX_PAYLOAD_BYTES, LARGEST_PAYLOAD } from '../definition/payload-json.js';
import { type DatabaseClock, databaseClock } from '../engine/clock.js';
import { InvalidOptionError } from '../errors/index.js';
import type { Instrumentation } from '../instrumentation/instrumentation.js';
import { safeInstrumentation } from '../instrumentation/safe-instrumentation.js';
import { type QueueLogger, consoleLogger, redactingLogger, safeLogger } from '../logger.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { type Redact, safeRedact, unredacted } from '../redaction.js';
import { type AmbientOptions, OUTSIDE_TRANSACTION } from './enqueue/caller-transaction.js';

/** Options of a `TableQueue`. */
export interface TableQueueOptions {
  /**
   * The largest payload, in bytes as it is stored, after a codec has encoded it: 1 to 536,870,912 (512 MiB). Default:
   * 1,048,576 (1 MiB).
   */
  readonly maxPayloadBytes?: number;
  /**
   * Encodes what is stored of jobs: payloads, results, progress, step values, signals and errors. Of several codecs the
   * first one with `encode` encodes, and all decode. A definition can have a `codec` of its own. Default: values are
   * stored as JSON.
   */
  readonly codec?: CodecOption;
  /**
   * Applies to a job that is enqueued, cancelled or retried inside an open transaction without its manager, or with
   * the manager of the data source. With `'warn'` the queue logs one warning for each kind of call. With `'throw'` it
   * throws an `OutsideTransactionError`. A single call may pass `outsideTransaction: true`. Default: `'warn'`.
   */
  readonly outsideTransaction?: 'warn' | 'throw' | 'allow';
  /**
   * Returns the manager of the current transaction, or undefined for none: for libraries that keep one, such as
   * nestjs-cls. Calls without `manager` and `queryRunner` are part of that transaction. typeorm-transactional needs no
   * function. Default: none.
   */
  readonly currentManager?: () => EntityManager | undefined;
  /**
   * Traces and metrics: `openTelemetry()` of `@tablequeue/typeorm/opentelemetry`, a `PrometheusMetrics` of
   * `@tablequeue/typeorm/prometheus`, or your own. Default: none.
   */
  readonly instrumentation?: Instrumentation;
  /**
   * Removes secrets from an error text. It gets each text, with stack and causes, before it is stored with a job,
   * logged, or passed to the instrumentation, and returns the text to use. If it throws, the whole text is left out.
   * Errors that calls throw, and errors of worker events, are not changed. Default: texts are not changed.
   */
  readonly redact?: (text: string) => string;
  /**
   * Whether INSERTs of jobs outside your transactions are prepared statements, on MySQL and MariaDB: an enqueue then
   * takes up to a quarter less time. Each connection keeps up to 8 statements, with up to 7 MB of the server's memory.
   * Set it to `false` behind a proxy that pins clients with prepared statements, such as Amazon RDS Proxy. Default:
   * `true`.
   */
  readonly preparedStatements?: boolean;
  /** Receives warnings and errors that no call returns, also those of workers. Default: the console. */
  readonly logger?: QueueLogger;
  /** A `TestingClock`, for tests. Default: the clock of the database. */
  readonly clock?: DatabaseClock;
}

/** The names of the queue's options. */
export const QUEUE_OPTIONS: readonly string[] = [
  'maxPayloadBytes',
  'codec',
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
  readonly codecs: Codecs;
  readonly preparedStatements: boolean;
  readonly clock: DatabaseClock;
  readonly ambient: AmbientOptions;
  readonly instrumentation: Instrumentation | undefined;
  readonly redact: Redact;
}

/** @throws InvalidOptionError for anything that is not a data source. */
export function assertDataSource(value: unknown): asserts value is DataSource {
  if (typeof (value as Partial<DataSource> | null)?.isInitialized !== 'boolean') {
    // Not the value itself: options of a data source hold its password.
    throw new InvalidOptionError('dataSource', Object.prototype.toString.call(value), 'a DataSource of TypeORM');
  }
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
  const safe = redact === undefined ? unredacted : safeRedact(redact);
  const ambient = resolveAmbient(options, safe);
  return {
    maxPayloadBytes: wholeNumber('maxPayloadBytes', maxPayloadBytes, 1, LARGEST_PAYLOAD),
    codecs: new Codecs(resolveCodec(options.codec)),
    preparedStatements,
    clock,
    ambient,
    instrumentation: instrumentation && safeInstrumentation(instrumentation, ambient.logger, safe),
    redact: safe,
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

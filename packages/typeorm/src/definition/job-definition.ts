import type { StandardSchemaV1 } from '@standard-schema/spec';

import { type Codec, type CodecOption, resolveCodec } from '../codec/codec.js';
import { addDefinedCodecs } from '../codec/defined-codecs.js';
import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { type RetryOptions, resolveRetryPolicy } from '../retry/retry-policy.js';
import type { Subscription } from './event-queue.js';
import { assertQueueName } from './names.js';
import { type Upcasters, resolveUpcasters, resolveVersion } from './payload-version.js';
import type { QueueName } from './queue-name.js';
import { type OrderOptions, type OrderPolicy, resolveOrder } from './order.js';
import { type UniqueDefaults, type UniquePolicy, resolveUnique } from './unique-policy.js';

/** The queue of definitions without `queue`. */
export const DEFAULT_QUEUE = 'default';

/** Options of `defineJob`. */
export interface JobDefinitionOptions<
  Schema extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Input = never,
> {
  /**
   * The queue of its jobs: 1 to 64 of the characters A-Z a-z 0-9 . _ : / -. Give slow jobs a queue of their own.
   * Default: `'default'`.
   */
  readonly queue?: QueueName;
  /**
   * A Standard Schema (zod, valibot, arktype, …) for the payload. It validates the payload at enqueue, and again when
   * the job is claimed. Default: no validation.
   */
  readonly schema?: Schema;
  /** When a failed job is retried, and how often. Default: 10 attempts, with waits from 2 s to 10 min. */
  readonly retry?: RetryOptions;
  /**
   * Whether finished jobs are kept. With `'all'` they are kept for the `retention` of the worker. With `'none'` a job
   * that succeeds is deleted at once, with its result. Failed and cancelled jobs are always kept. Default: `'all'`.
   */
  readonly keep?: 'all' | 'none';
  /**
   * How long an attempt may take: 1 ms to 24 days. Then its signal is aborted, and the attempt fails with a
   * `JobTimeoutError` and is retried as after any error. Default: no limit.
   *
   * For a transactional handler the wait for its transaction does not count. In a batch each job has its own timeout.
   *
   * JavaScript cannot stop a running handler. Until it ends it keeps its slot, and its process does not run the job
   * again; another process may. Its late result is ignored.
   */
  readonly timeout?: Duration;
  /**
   * How long its jobs may wait for their start, from when they are due: 1 ms to 100 years. `expiresIn` of an `enqueue`
   * replaces it. See `JobOptions.expiresIn`. Callbacks of groups do not expire. Default: it does not expire.
   */
  readonly expiresIn?: Duration;
  /**
   * The version of the payload: 1 to 65,535. Add one when older code cannot read the new payload. It is stored with
   * each job; a process skips jobs of a higher version than its own. Default: 1.
   */
  readonly version?: number;
  /**
   * Functions that convert payloads of older versions: `upcasters[1]` converts a version 1 payload to version 2.
   * Provide every version from the oldest that jobs may have up to the one before `version`. The schema validates the
   * result. Older jobs fail with a `MissingUpcasterError`. Default: none.
   */
  readonly upcasters?: Upcasters;
  /** Makes each of its jobs unique. `unique` of an `enqueue` replaces all of it. Default: jobs are not unique. */
  readonly unique?: UniqueDefaults<Input>;
  /** Runs its jobs one after another for each key. Default: jobs have no order. */
  readonly order?: OrderOptions<Input>;
  /**
   * Returns the tenant for a payload: 1 to 191 characters, or undefined for none. `tenant` of an `enqueue` replaces it.
   * See `JobOptions.tenant`. Default: no tenant.
   */
  readonly tenant?: (payload: Input) => string | undefined;
  /**
   * Encodes what is stored of its jobs: payload, result, progress, step values and errors. Of several codecs the first
   * one with `encode` encodes, and all decode. Default: `codec` of the queue. `[]`: values are stored as JSON.
   */
  readonly codec?: CodecOption;
}

declare const payloadTypes: unique symbol;

/**
 * A kind of job: its name, queue, payload type and policies. Made by `defineJob`.
 *
 * `Input` is the payload that `enqueue` takes, `Output` the payload that the handler gets. They differ if the schema
 * transforms the payload.
 */
export interface JobDefinition<in out Input = unknown, in out Output = Input> {
  /** The name that is stored with each job. */
  readonly name: string;
  /** The queue of its jobs. */
  readonly queue: QueueName;
  /** The schema of its payload, if it has one. */
  readonly schema: StandardSchemaV1 | undefined;
  /** The retry options with their defaults. */
  readonly retry: Required<RetryOptions>;
  /** Whether jobs that succeed are kept. */
  readonly keep: 'all' | 'none';
  /** How long an attempt may take, in ms. */
  readonly timeout: number | undefined;
  /** How long its jobs may wait for their start, in ms. */
  readonly expiresIn: number | undefined;
  /** The version of new payloads, and the highest that its handler gets. */
  readonly version: number;
  /** The functions that convert older payloads, by version. */
  readonly upcasters: Upcasters;
  /** @internal */
  readonly unique: UniquePolicy | undefined;
  /** @internal */
  readonly order: OrderPolicy | undefined;
  /** The function that returns the tenant for a payload, if it has one. */
  readonly tenant: ((payload: never) => string | undefined) | undefined;
  /** @internal The subscription that it is for; undefined for jobs that `enqueue` stores. */
  readonly subscription?: Subscription;
  /** Its codecs; undefined for those of the queue. */
  readonly codec: readonly Codec[] | undefined;
  /** Carries the payload types; there is no such property at run time. */
  readonly [payloadTypes]?: { readonly input: (value: Input) => Input; readonly output: (value: Output) => Output };
}

/** Any job definition, whatever its payload. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- every definition is assignable to it
export type AnyJobDefinition = JobDefinition<any, any>;

/** The payload that the handler of a definition gets: `JobPayload<typeof sendEmail>`. */
export type JobPayload<Definition extends AnyJobDefinition> =
  Definition extends JobDefinition<infer _Input, infer Output> ? Output : never;

/** The payload that `enqueue` takes for a definition: `JobInput<typeof sendEmail>`. */
export type JobInput<Definition extends AnyJobDefinition> =
  Definition extends JobDefinition<infer Input, infer _Output> ? Input : never;

/**
 * Makes a definition with a name that was checked, or is reserved.
 *
 * @throws the errors of `defineJob` for the options.
 */
export function makeJobDefinition(name: string, options: JobDefinitionOptions): AnyJobDefinition {
  assertKnownOptions(options, [
    'queue',
    'schema',
    'retry',
    'keep',
    'timeout',
    'expiresIn',
    'version',
    'upcasters',
    'unique',
    'order',
    'tenant',
    'codec',
  ]);
  const { queue = DEFAULT_QUEUE, schema, retry, keep = 'all', timeout, expiresIn, unique, order, tenant } = options;
  const version = resolveVersion(options.version);
  assertQueueName(queue);
  if (keep !== 'all' && keep !== 'none') {
    throw new InvalidOptionError('keep', keep, "'all' or 'none'");
  }
  if (
    schema !== undefined &&
    typeof (schema as Partial<StandardSchemaV1> | null)?.['~standard']?.validate !== 'function'
  ) {
    throw new InvalidOptionError('schema', schema, 'a Standard Schema, such as one of zod, valibot or arktype');
  }
  if (tenant !== undefined && typeof tenant !== 'function') {
    throw new InvalidOptionError('tenant', tenant, 'a function');
  }
  const codec = resolveCodec(options.codec);
  addDefinedCodecs(codec ?? []);
  return Object.freeze({
    name,
    queue,
    schema,
    retry: resolveRetryPolicy(retry),
    keep,
    timeout: timeout === undefined ? undefined : toMilliseconds('timeout', timeout, 1, LONGEST_TIMER),
    expiresIn: expiresIn === undefined ? undefined : toMilliseconds('expiresIn', expiresIn, 1),
    version,
    upcasters: resolveUpcasters(options.upcasters, version),
    unique: unique === undefined ? undefined : resolveUnique(unique, 'function', 'unique.'),
    order: order === undefined ? undefined : resolveOrder(order),
    tenant,
    codec,
  });
}

/**
 * Rejects a value that is not a job definition, most often `undefined` because of a circular import.
 *
 * @param option the name of the option or parameter, for the error.
 * @throws InvalidOptionError
 */
export function assertJobDefinition(option: string, value: unknown): asserts value is AnyJobDefinition {
  const { name, queue, retry } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as Partial<AnyJobDefinition>;
  if (typeof name !== 'string' || typeof queue !== 'string' || typeof retry !== 'object') {
    throw new InvalidOptionError(
      option,
      value,
      'a job definition, as defineJob returns it; if it is undefined, check for a circular import',
    );
  }
}

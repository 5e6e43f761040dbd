import type { StandardSchemaV1 } from '@standard-schema/spec';

import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { type RetryOptions, type RetryPolicy, resolveRetryPolicy } from '../retry/retry-policy.js';
import { assertJobName, assertQueueName } from './names.js';
import { type Upcasters, resolveUpcasters, resolveVersion } from './payload-version.js';
import type { QueueName } from './queue-name.js';
import { type UniqueDefaults, type UniquePolicy, resolveUnique } from './unique-policy.js';

/** The queue of a job whose definition names none. */
export const DEFAULT_QUEUE = 'default';

/** What `defineJob` takes besides the name. */
export interface JobDefinitionOptions<
  Schema extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Input = never,
> {
  /** The queue its jobs wait in. Give slow work a queue of its own. Default: `'default'`. */
  readonly queue?: QueueName;
  /** A Standard Schema (zod, valibot, arktype, …) for the payload, applied at enqueue and again at claim. */
  readonly schema?: Schema;
  /** What happens after a failed attempt. Default: 10 attempts, exponential from 2 s to 10 min. */
  readonly retry?: RetryOptions;
  /**
   * `'none'`: a job that succeeds leaves nothing behind, no result and no entry in the history; one that fails for good
   * or is cancelled is kept as any other. For many small jobs nobody looks at afterwards. Default: `'all'`, for as long
   * as the worker's `retention` says.
   */
  readonly keep?: 'all' | 'none';
  /**
   * How long an attempt may take. After that it has failed with a `JobTimeoutError`, which is also the reason its signal
   * is aborted with, and is charged and tried again as after any error. At least 1 ms, at most 24 days. Default: no limit.
   *
   * Of a transactional handler only its own time counts, not that of waiting for its transaction. Each job of a batch
   * handler's call has its own.
   *
   * A handler cannot be stopped from outside. One that goes on keeps its slot, and its process does not run the job
   * again before it has ended; another process does. What it returns or throws late is ignored.
   */
  readonly timeout?: Duration;
  /**
   * The version of the payload: a whole number from 1 to 65,535, one more whenever older code could not read what
   * `enqueue` takes now. It is stored with each job. Jobs of a higher version are left to processes that know it. Default: 1.
   */
  readonly version?: number;
  /**
   * How payloads of older versions are read: `upcasters[n]` makes one of version n + 1 of one of version n. From the oldest
   * version that jobs may still have, up to the one before `version`, without a gap. The schema is applied to the result.
   * Jobs that are older fail with a `MissingUpcasterError`. Default: none.
   */
  readonly upcasters?: Upcasters;
  /** Makes each of its jobs unique; `unique` of an `enqueue` takes its place as a whole. Default: none is. */
  readonly unique?: UniqueDefaults<Input>;
  /**
   * Makes the tenant of what `enqueue` is given, 1 to 191 characters, or undefined for none; `tenant` of an `enqueue`
   * takes its place. See `JobOptions.tenant`. Default: none has one.
   */
  readonly tenant?: (payload: Input) => string | undefined;
}

declare const payloadTypes: unique symbol;

/**
 * One kind of job: its name, queue, payload type and validation, and retry policy.
 *
 * `Input` is what `enqueue` takes, `Output` what the handler gets: they differ where the schema transforms.
 */
export interface JobDefinition<in out Input = unknown, in out Output = Input> {
  readonly name: string;
  readonly queue: QueueName;
  readonly schema: StandardSchemaV1 | undefined;
  readonly retry: RetryPolicy;
  readonly keep: 'all' | 'none';
  /** In ms. */
  readonly timeout: number | undefined;
  /** That of the payloads `enqueue` stores, and the highest its handler gets. */
  readonly version: number;
  readonly upcasters: Upcasters;
  readonly unique: UniquePolicy | undefined;
  readonly tenant: ((payload: never) => string | undefined) | undefined;
  /** Carries the payload types; there is no such property at run time. */
  readonly [payloadTypes]?: { readonly input: (value: Input) => Input; readonly output: (value: Output) => Output };
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the one type every definition is assignable to
export type AnyJobDefinition = JobDefinition<any, any>;

/** What the handler of a definition gets: `JobPayload<typeof sendEmail>`. */
export type JobPayload<Definition extends AnyJobDefinition> =
  Definition extends JobDefinition<infer _Input, infer Output> ? Output : never;

/** What `enqueue` takes for a definition: `JobInput<typeof sendEmail>`. */
export type JobInput<Definition extends AnyJobDefinition> =
  Definition extends JobDefinition<infer Input, infer _Output> ? Input : never;

/**
 * Defines a kind of job.
 *
 * With a schema the payload types are inferred from it; without one they are the type argument:
 * `defineJob<{ orderId: string }>('order.close')`.
 *
 * @throws InvalidNameError for a name or queue that cannot be stored.
 * @throws InvalidOptionError, UnknownOptionError for anything else that is wrong.
 */
export function defineJob<Schema extends StandardSchemaV1>(
  name: string,
  options: JobDefinitionOptions<Schema, StandardSchemaV1.InferInput<Schema>> & { readonly schema: Schema },
): JobDefinition<StandardSchemaV1.InferInput<Schema>, StandardSchemaV1.InferOutput<Schema>>;
export function defineJob<Payload = void>(
  name: string,
  options?: JobDefinitionOptions<undefined, Payload>,
): JobDefinition<Payload>;
export function defineJob(name: string, options: JobDefinitionOptions = {}): AnyJobDefinition {
  assertJobName(name);
  assertKnownOptions(options, [
    'queue',
    'schema',
    'retry',
    'keep',
    'timeout',
    'version',
    'upcasters',
    'unique',
    'tenant',
  ]);
  const { queue = DEFAULT_QUEUE, schema, retry, keep = 'all', timeout, unique, tenant } = options;
  const version = resolveVersion(options.version);
  assertQueueName(queue);
  if (keep !== 'all' && keep !== 'none') {
    throw new InvalidOptionError('keep', keep, "'all' or 'none'");
  }
  if (tenant !== undefined && typeof tenant !== 'function') {
    throw new InvalidOptionError('tenant', tenant, 'a function');
  }
  return Object.freeze({
    name,
    queue,
    schema,
    retry: resolveRetryPolicy(retry),
    keep,
    timeout: timeout === undefined ? undefined : toMilliseconds('timeout', timeout, 1, LONGEST_TIMER),
    version,
    upcasters: resolveUpcasters(options.upcasters, version),
    unique: unique === undefined ? undefined : resolveUnique(unique, 'function', 'unique.'),
    tenant,
  });
}

/**
 * Refuses what is no definition, most often `undefined` from modules that import each other in a circle.
 *
 * @throws InvalidOptionError naming `place`.
 */
export function assertJobDefinition(place: string, value: unknown): asserts value is AnyJobDefinition {
  const { name, queue, retry } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as Partial<AnyJobDefinition>;
  if (typeof name !== 'string' || typeof queue !== 'string' || typeof retry !== 'object') {
    throw new InvalidOptionError(
      place,
      value,
      'what defineJob returned; if it is undefined, look for modules that import each other in a circle',
    );
  }
}

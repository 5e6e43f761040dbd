import type { StandardSchemaV1 } from '@standard-schema/spec';

import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { type RetryOptions, type RetryPolicy, resolveRetryPolicy } from '../retry/retry-policy.js';
import { assertJobName, assertQueueName } from './names.js';

/** The queue of a job whose definition names none. */
export const DEFAULT_QUEUE = 'default';

/** What `defineJob` takes besides the name. */
export interface JobDefinitionOptions<Schema extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined> {
  /** The queue its jobs wait in. Give slow work a queue of its own. Default: `'default'`. */
  readonly queue?: string;
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
}

declare const payloadTypes: unique symbol;

/**
 * One kind of job: its name, queue, payload type and validation, and retry policy.
 *
 * `Input` is what `enqueue` takes, `Output` what the handler gets: they differ where the schema transforms.
 */
export interface JobDefinition<in out Input = unknown, in out Output = Input> {
  readonly name: string;
  readonly queue: string;
  readonly schema: StandardSchemaV1 | undefined;
  readonly retry: RetryPolicy;
  readonly keep: 'all' | 'none';
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
  options: JobDefinitionOptions<Schema> & { readonly schema: Schema },
): JobDefinition<StandardSchemaV1.InferInput<Schema>, StandardSchemaV1.InferOutput<Schema>>;
export function defineJob<Payload = void>(
  name: string,
  options?: JobDefinitionOptions<undefined>,
): JobDefinition<Payload>;
export function defineJob(name: string, options: JobDefinitionOptions = {}): AnyJobDefinition {
  assertJobName(name);
  assertKnownOptions(options, ['queue', 'schema', 'retry', 'keep']);
  const { queue = DEFAULT_QUEUE, schema, retry, keep = 'all' } = options;
  assertQueueName(queue);
  if (keep !== 'all' && keep !== 'none') {
    throw new InvalidOptionError('keep', keep, "'all' or 'none'");
  }
  return Object.freeze({ name, queue, schema, retry: resolveRetryPolicy(retry), keep });
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

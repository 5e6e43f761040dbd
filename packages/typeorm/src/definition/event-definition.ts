import type { StandardSchemaV1 } from '@standard-schema/spec';

import type { CodecOption } from '../codec/codec.js';
import { InvalidOptionError, WildcardEventError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { exponential } from '../retry/backoff.js';
import { EVENTS_QUEUE } from './event-queue.js';
import { type JobDefinition, makeJobDefinition } from './job-definition.js';
import { assertEventName } from './names.js';
import type { Upcasters } from './payload-version.js';

/** Options of `defineEvent`. */
export interface EventDefinitionOptions<Schema extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined> {
  /**
   * A Standard Schema (zod, valibot, arktype, …) for the payload. It validates the payload at `publish`, and again in
   * each job of a subscription. Default: no validation.
   */
  readonly schema?: Schema;
  /** The version of the payload: see `JobDefinitionOptions.version`. Default: 1. */
  readonly version?: number;
  /** Functions that convert payloads of older versions: see `JobDefinitionOptions.upcasters`. Default: none. */
  readonly upcasters?: Upcasters;
  /**
   * Encodes what is stored of the event and of the jobs of its subscriptions: see `JobDefinitionOptions.codec`.
   * Default: `codec` of the queue.
   */
  readonly codec?: CodecOption;
}

/** An event that is published, with a job for each of its subscriptions. Made by `defineEvent`. */
export interface EventDefinition<in out Input = unknown, in out Output = Input> {
  /** The name that is stored with each event. */
  readonly name: string;
  /** The job that stores a published event. */
  readonly job: JobDefinition<Input, Output>;
}

/** Any event definition, whatever its payload. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- every definition is assignable to it
export type AnyEventDefinition = EventDefinition<any, any>;

/** The payload that the handlers of an event get: `EventPayload<typeof orderPaid>`. */
export type EventPayload<Definition extends AnyEventDefinition> =
  Definition extends EventDefinition<infer _Input, infer Output> ? Output : never;

/** A fan-out only stores jobs: what makes it fail is the database, so it is tried for days. */
export const EVENT_RETRY = { attempts: 1_000, crashes: 1_000, backoff: exponential({ from: '1s', max: '10m' }) };

/**
 * Defines an event. `queue.publish` stores it, and each of its subscriptions gets a job with its payload: see
 * `eventHandler`.
 *
 * @example
 * ```ts
 * const orderPaid = defineEvent<{ orderId: number }>('order.paid');
 * await queue.publish(orderPaid, { orderId: 42 }, { manager });
 * ```
 *
 * @param name 1 to 64 of the characters A-Z a-z 0-9 . _ : / -, beginning with a letter or a digit. It is stored with
 *   each event and each subscription, so it must not change.
 * @throws WildcardEventError for a name with a `*`, InvalidNameError for another name that cannot be stored.
 * @throws InvalidOptionError for an option with a wrong value, UnknownOptionError for one that does not exist.
 */
export function defineEvent<Schema extends StandardSchemaV1>(
  name: string,
  options: EventDefinitionOptions<Schema> & { readonly schema: Schema },
): EventDefinition<StandardSchemaV1.InferInput<Schema>, StandardSchemaV1.InferOutput<Schema>>;
export function defineEvent<Payload = void>(
  name: string,
  options?: EventDefinitionOptions<undefined>,
): EventDefinition<Payload>;
export function defineEvent(name: string, options: EventDefinitionOptions = {}): AnyEventDefinition {
  assertNoWildcard(name);
  assertEventName(name);
  assertKnownOptions(options, ['schema', 'version', 'upcasters', 'codec']);
  const job = makeJobDefinition(name, { ...options, queue: EVENTS_QUEUE, retry: EVENT_RETRY });
  return Object.freeze({ name, job });
}

/**
 * Rejects a value that is not an event definition: a name as @nestjs/event-emitter takes it, or `undefined` because of
 * a circular import.
 *
 * @throws WildcardEventError, InvalidOptionError
 */
export function assertEventDefinition(option: string, value: unknown): asserts value is AnyEventDefinition {
  assertNoWildcard(value);
  const { name, job } = (typeof value === 'object' && value !== null ? value : {}) as Partial<AnyEventDefinition>;
  if (typeof name !== 'string' || job?.queue !== EVENTS_QUEUE) {
    throw new InvalidOptionError(
      option,
      value,
      'an event definition, as defineEvent returns it; if it is undefined, check for a circular import',
    );
  }
}

function assertNoWildcard(name: unknown): void {
  const names: readonly unknown[] = Array.isArray(name) ? name : [name];
  if (names.some((each) => typeof each === 'string' && each.includes('*'))) {
    throw new WildcardEventError(name);
  }
}

import type { StandardSchemaV1 } from '@standard-schema/spec';

import { type Codec, type CodecOption, resolveCodec } from '../codec/codec.js';
import { addDefinedCodecs } from '../codec/defined-codecs.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { assertSignalName } from './names.js';

declare const dataType: unique symbol;

/** A kind of signal: its name and the type of its data. Made by `defineSignal`. */
export interface SignalDefinition<in out Data = unknown> {
  /** The name that is stored with each signal. */
  readonly name: string;
  /** The schema of its data, if it has one. */
  readonly schema: StandardSchemaV1 | undefined;
  /** Its codecs; undefined for those of the queue. */
  readonly codec: readonly Codec[] | undefined;
  /** Carries the type of the data; there is no such property at run time. */
  readonly [dataType]?: (data: Data) => Data;
}

/** Any signal definition, whatever its data. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- every definition is assignable to it
export type AnySignalDefinition = SignalDefinition<any>;

/**
 * Defines a signal that a durable job can wait for. The type of its data comes from the schema, or from the type
 * argument.
 *
 * @example
 * ```ts
 * const approved = defineSignal<{ by: string }>('approved');
 * await queue.signal(jobId, approved, { by: 'ada' });
 * ```
 *
 * @param name 1 to 191 characters.
 * @param options `schema`: a Standard Schema for the data, which `queue.signal` checks. Default: no check. `codec`:
 *   encodes the data. Default: `codec` of the queue, also if the definition of the job has another.
 * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
 */
export function defineSignal<Schema extends StandardSchemaV1>(
  name: string,
  options: { readonly schema: Schema; readonly codec?: CodecOption },
): SignalDefinition<StandardSchemaV1.InferInput<Schema>>;
/** Defines a signal whose data is not checked. */
export function defineSignal<Data = void>(
  name: string,
  options?: { readonly schema?: undefined; readonly codec?: CodecOption },
): SignalDefinition<Data>;
export function defineSignal(
  name: string,
  options: { readonly schema?: StandardSchemaV1 | undefined; readonly codec?: CodecOption } = {},
): SignalDefinition {
  assertSignalName(name);
  assertKnownOptions(options, ['schema', 'codec']);
  const codec = resolveCodec(options.codec);
  addDefinedCodecs(codec ?? []);
  return Object.freeze({ name, schema: resolveSchema(options.schema), codec });
}

/** @throws InvalidOptionError for a value that is not a Standard Schema. */
export function resolveSchema(schema: StandardSchemaV1 | undefined, option = 'schema'): StandardSchemaV1 | undefined {
  if (
    schema !== undefined &&
    typeof (schema as Partial<StandardSchemaV1> | null)?.['~standard']?.validate !== 'function'
  ) {
    throw new InvalidOptionError(option, schema, 'a Standard Schema, such as one of zod, valibot or arktype');
  }
  return schema;
}

/**
 * Returns what is known of a signal.
 *
 * @throws InvalidNameError
 */
export function resolveSignal(
  signal: string | AnySignalDefinition,
): Pick<SignalDefinition, 'name' | 'schema' | 'codec'> {
  if (typeof signal === 'object' && signal !== null) {
    return signal;
  }
  assertSignalName(signal);
  return { name: signal, schema: undefined, codec: undefined };
}

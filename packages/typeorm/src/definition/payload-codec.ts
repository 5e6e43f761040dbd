import { types } from 'node:util';

import type { StandardSchemaV1 } from '@standard-schema/spec';

import { InvalidPayloadError, PayloadTooLargeError, UnserializablePayloadError } from '../errors/index.js';
import type { AnyJobDefinition } from './job-definition.js';

/** The default of `maxPayloadBytes`: 1 MiB, well below the smallest usual `max_allowed_packet` (16 MB). */
export const DEFAULT_MAX_PAYLOAD_BYTES = 1024 * 1024;

/**
 * The JSON text of a payload. The schema is applied to what the handler will read, that is after a round trip through
 * JSON: a payload that only validates before it, a `Date` say, is refused here and not hours later at claim.
 */
export async function encodePayload(definition: AnyJobDefinition, payload: unknown, limit: number): Promise<string> {
  const text = toJson(definition.name, payload);
  const bytes = Buffer.byteLength(text);
  if (bytes > limit) {
    throw new PayloadTooLargeError(definition.name, bytes, limit);
  }
  if (definition.schema) {
    await validate(definition.name, definition.schema, JSON.parse(text));
  }
  return text;
}

/** The payload a handler gets for a stored text. */
export async function decodePayload(definition: AnyJobDefinition, text: string): Promise<unknown> {
  const payload: unknown = JSON.parse(text);
  return definition.schema ? validate(definition.name, definition.schema, payload) : payload;
}

async function validate(jobName: string, schema: StandardSchemaV1, payload: unknown): Promise<unknown> {
  const pending = schema['~standard'].validate(payload);
  const result = pending instanceof Promise ? await pending : pending;
  if (result.issues) {
    throw new InvalidPayloadError(
      jobName,
      result.issues.map(({ message, path = [] }) => ({
        message,
        path: path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
      })),
    );
  }
  return result.value;
}

function toJson(jobName: string, payload: unknown): string {
  try {
    // A job without a payload stores null.
    return JSON.stringify(payload ?? null, refuseLossyValues);
  } catch (error) {
    throw new UnserializablePayloadError(jobName, error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

/** JSON.stringify drops or changes these without a word; it throws by itself for a BigInt and for a cycle. */
function refuseLossyValues(key: string, value: unknown): unknown {
  const at = key === '' ? 'the payload itself' : `"${key}"`;
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`${at} is a ${typeof value}`);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${at} is ${value}`);
  }
  if (types.isMap(value) || types.isSet(value) || types.isRegExp(value) || types.isPromise(value)) {
    throw new TypeError(`${at} is a ${value.constructor.name}`);
  }
  return value;
}

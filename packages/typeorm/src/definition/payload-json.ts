import { types } from 'node:util';

import type { StandardSchemaV1 } from '@standard-schema/spec';

import { InvalidPayloadError, PayloadTooLargeError, UnserializablePayloadError } from '../errors/index.js';
import { isThenable } from '../async/thenable.js';
import type { AnyJobDefinition } from './job-definition.js';
import { upcast } from './payload-version.js';

/** The default of `maxPayloadBytes`: 1 MiB, well below the smallest usual `max_allowed_packet` (16 MB). */
export const DEFAULT_MAX_PAYLOAD_BYTES = 1024 * 1024;

/** The largest limit that may be set, in bytes of JSON. */
export const LARGEST_PAYLOAD = 512 * 1024 * 1024;

/** Deeper values take the slower check: they may be circular. */
const DEEPEST_PLAIN = 100;

/**
 * Returns the JSON text of a payload, or null for none. The schema validates the payload after a round trip through
 * JSON, as the handler will read it. So a payload with a `Date` fails here, and not hours later when the job is
 * claimed.
 *
 * @param limit the most bytes of the text. Infinity if a codec encodes it: see `assertPayloadSize`.
 * @returns a promise only if there is a schema, so that other payloads need no event-loop tick.
 * @throws PayloadTooLargeError if the JSON text is longer than `limit` bytes.
 * @throws UnserializablePayloadError if JSON would change the payload.
 * @throws InvalidPayloadError if the schema rejects the payload.
 */
export function payloadToJson(
  definition: AnyJobDefinition,
  payload: unknown,
  limit: number,
): string | null | Promise<string | null> {
  const text = payload === undefined ? null : toJson(definition, payload);
  assertPayloadSize(definition.name, text, limit);
  return definition.schema ? accepted(definition, text) : text;
}

/**
 * @param text the payload as it is stored.
 * @param codec the id of the codec that has encoded it.
 * @throws PayloadTooLargeError if the text is longer than `limit` bytes.
 */
export function assertPayloadSize(jobName: string, text: string | null, limit: number, codec?: string): void {
  // A UTF-16 unit takes at most three bytes, so most texts need not be measured.
  if (text !== null && text.length * 3 > limit) {
    const bytes = Buffer.byteLength(text);
    if (bytes > limit) {
      throw new PayloadTooLargeError(jobName, bytes, limit, codec);
    }
  }
}

async function accepted(definition: AnyJobDefinition, text: string | null): Promise<string | null> {
  await payloadFromJson(definition, text, definition.version);
  return text;
}

/**
 * Returns the payload for the handler; a promise of it if there is a schema, or if an upcaster returns one.
 *
 * @param version the version of the stored payload, at most that of the definition.
 */
export function payloadFromJson(definition: AnyJobDefinition, text: string | null, version: number): unknown {
  return payloadFromValue(definition, text === null ? undefined : parsed(definition.name, text), version);
}

/** The same for the value of the JSON text. */
export function payloadFromValue(definition: AnyJobDefinition, stored: unknown, version: number): unknown {
  const payload = version < definition.version ? upcast(definition, stored, version) : stored;
  return definition.schema ? validate(definition.name, definition.schema, payload) : payload;
}

/** No other attempt can read it either, so it is no SyntaxError that would be retried. */
function parsed(jobName: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidPayloadError(jobName, [{ path: '', message: 'it is not JSON, because other SQL has changed it' }]);
  }
}

async function validate(jobName: string, schema: StandardSchemaV1, given: unknown): Promise<unknown> {
  const payload = isThenable(given) ? await given : given;
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

function toJson({ name, schema }: AnyJobDefinition, payload: unknown): string {
  try {
    if (isPlainData(payload, 0)) {
      return JSON.stringify(payload);
    }
    const text = JSON.stringify(payload, function (this: Record<string, unknown>, key: string, value: unknown) {
      // `value` is the result of toJSON, this[key] the original.
      const inArray = Array.isArray(this);
      const loss = lossOf(this[key], schema !== undefined, inArray) ?? lossOf(value, schema !== undefined, inArray);
      if (loss) {
        throw new TypeError(`${key === '' ? 'the payload itself' : `"${key}"`} is ${loss}`);
      }
      return value;
    }) as string | undefined;
    if (text === undefined) {
      throw new TypeError('its toJSON returns nothing');
    }
    return text;
  } catch (error) {
    throw new UnserializablePayloadError(name, reasonOf(error), { cause: error });
  }
}

/** Also for an error of the payload's own code that cannot be read. */
function reasonOf(error: unknown): string {
  try {
    if (error instanceof RangeError && error.message.includes('call stack')) {
      return 'it is nested too deeply';
    }
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'reading it fails';
  }
}

/**
 * Returns whether a value certainly survives a round trip through JSON. Most payloads do, and JSON.stringify is three
 * times as fast without a function that checks each value.
 */
function isPlainData(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (depth < DEEPEST_PLAIN && isPlainObject(value, depth));
    default:
      return false;
  }
}

function isPlainObject(value: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype) {
      return false;
    }
    // `every` would skip holes.
    for (const element of value as unknown[]) {
      if (!isPlainData(element, depth + 1)) {
        return false;
      }
    }
    return true;
  }
  if (prototype !== Object.prototype && prototype !== null) {
    return false;
  }
  // Object.values would allocate an array for each payload.
  for (const key in value) {
    const property = (value as Readonly<Record<string, unknown>>)[key];
    if (property !== undefined && !isPlainData(property, depth + 1)) {
      return false;
    }
  }
  return true;
}

/** Returns what JSON.stringify would drop or change silently. For a BigInt and for a cycle it throws. */
function lossOf(value: unknown, hasSchema: boolean, inArray: boolean): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'undefined':
      return inArray ? 'undefined, in an array' : undefined;
    case 'object':
      if (types.isDate(value) && !hasSchema) {
        return 'a Date, which the handler would get as text: pass text or ms, or give the job a schema that reads it';
      }
      if (types.isNumberObject(value) && !Number.isFinite(Number(value))) {
        return String(value);
      }
      return isLossyObject(value) ? `a ${value?.constructor.name}` : undefined;
    default:
      return undefined;
  }
}

function isLossyObject(value: unknown): boolean {
  return (
    types.isMap(value) ||
    types.isSet(value) ||
    types.isWeakMap(value) ||
    types.isWeakSet(value) ||
    types.isSymbolObject(value) ||
    types.isRegExp(value) ||
    types.isPromise(value) ||
    types.isNativeError(value) ||
    types.isAnyArrayBuffer(value) ||
    ArrayBuffer.isView(value)
  );
}

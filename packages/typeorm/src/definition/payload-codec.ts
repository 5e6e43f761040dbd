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

/** Deeper than this a value is looked at with more care: it may be a circle. */
const DEEPEST_PLAIN = 100;

/**
 * The JSON text of a payload; null where there is none. The schema is applied to what the handler will read, that is
 * after a round trip through JSON: a payload that only validates before it, a `Date` say, is refused here and not hours
 * later at claim.
 *
 * @returns the text itself where there is no schema, so that it costs no turn of the event loop.
 */
export function encodePayload(
  definition: AnyJobDefinition,
  payload: unknown,
  limit: number,
): string | null | Promise<string | null> {
  const text = payload === undefined ? null : toJson(definition, payload);
  // No letter has more than three bytes for each of its units, so most texts need not be measured.
  if (text !== null && text.length * 3 > limit) {
    const bytes = Buffer.byteLength(text);
    if (bytes > limit) {
      throw new PayloadTooLargeError(definition.name, bytes, limit);
    }
  }
  return definition.schema ? accepted(definition, text) : text;
}

async function accepted(definition: AnyJobDefinition, text: string | null): Promise<string | null> {
  await decodePayload(definition, text, definition.version);
  return text;
}

/**
 * The payload a handler gets for a stored text; a promise of it where there is a schema, or an upcaster returns one.
 *
 * @param version of the payload, at most that of the definition.
 */
export function decodePayload(definition: AnyJobDefinition, text: string | null, version: number): unknown {
  const stored: unknown = text === null ? undefined : JSON.parse(text);
  const payload = version < definition.version ? upcast(definition, stored, version) : stored;
  return definition.schema ? validate(definition.name, definition.schema, payload) : payload;
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
      // `value` is what toJSON has made of it, this[key] what it is.
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

/** Also where what was thrown by the payload's own code has no text. */
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
 * Whether a value is certainly the same after a round trip: most payloads are, and JSON.stringify is three times as
 * fast without a function that looks at each value.
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
    // Not `every`, which passes over holes.
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
  // Object.values would make a list of each payload.
  for (const key in value) {
    const property = (value as Readonly<Record<string, unknown>>)[key];
    if (property !== undefined && !isPlainData(property, depth + 1)) {
      return false;
    }
  }
  return true;
}

/** What JSON.stringify drops or changes without a word; it throws by itself for a BigInt and for a cycle. */
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

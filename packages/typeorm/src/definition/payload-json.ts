import type { StandardSchemaV1 } from '@standard-schema/spec';

import { InvalidPayloadError, PayloadTooLargeError, UnserializablePayloadError } from '../errors/index.js';
import { isThenable } from '../async/thenable.js';
import type { AnyJobDefinition } from './job-definition.js';
import { inputToJson } from './json-text.js';
import { upcast } from './payload-version.js';

/** The default of `maxPayloadBytes`: 1 MiB, well below the smallest usual `max_allowed_packet` (16 MB). */
export const DEFAULT_MAX_PAYLOAD_BYTES = 1024 * 1024;

/** The largest limit that may be set, in bytes of JSON. */
export const LARGEST_PAYLOAD = 512 * 1024 * 1024;

/**
 * Returns the JSON text of a payload, or null for none.
 *
 * @param limit the most bytes of the text. Infinity if a codec encodes it: see `assertPayloadSize`.
 * @throws PayloadTooLargeError if the JSON text is longer than `limit` bytes.
 * @throws UnserializablePayloadError if JSON would change the payload.
 */
export function payloadToJson(definition: AnyJobDefinition, payload: unknown, limit: number): string | null {
  const text = payload === undefined ? null : toJson(definition, payload);
  assertPayloadSize(definition.name, text, limit);
  return text;
}

/**
 * Validates a payload with the schema of its definition, if it has one. After a round trip through JSON, as the handler
 * will read it: so a payload with a `Date` fails here, and not hours later when the job is claimed.
 *
 * @param text the JSON text of the payload.
 * @throws InvalidPayloadError if the schema rejects the payload.
 */
export async function assertPayloadAccepted(definition: AnyJobDefinition, text: string | null): Promise<void> {
  await payloadFromJson(definition, text, definition.version);
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
  const dates = schema ? undefined : 'pass text or ms, or give the job a schema that reads it';
  try {
    return inputToJson(payload, 'the payload itself', dates);
  } catch (error) {
    throw new UnserializablePayloadError(name, reasonOf(error), { cause: error });
  }
}

/** Also for an error of the payload's own code that cannot be read. */
function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'reading it fails';
  }
}

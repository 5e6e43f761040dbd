import { parse, stringify, v7, validate } from 'uuid';

/** A new job id: a UUIDv7, so ids made one after another in a process sort in that order. */
export function newJobId(): Buffer {
  // Without options: given any, the library no longer counts within a millisecond.
  return v7(undefined, Buffer.allocUnsafe(16));
}

/** The usual text of an id read from the database. */
export function uuidFromBytes(bytes: Uint8Array): string {
  return stringify(bytes);
}

/** The 16 bytes an id is stored as. */
export function uuidToBytes(id: string): Buffer {
  return Buffer.from(parse(id));
}

/** Whether a text is an id at all. */
export function isJobId(value: unknown): value is string {
  return validate(value);
}

import { randomFillSync } from 'node:crypto';

import { parse, v7, validate } from 'uuid';

import { InvalidOptionError } from '../errors/index.js';

/** Random bytes for this many ids are drawn at once: one by one they cost 4 of the 6 µs an id takes. */
const IDS_PER_DRAW = 256;
export const ID_BYTES = 16;
/** The counter within a millisecond has 32 bits and begins in their lower half, so that it never comes to its end. */
const COUNTER_START = 2 ** 31;

const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** Where the two digits of each byte stand in the text of an id. */
const TEXT_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const text = Buffer.from('00000000-0000-0000-0000-000000000000');

const random = Buffer.alloc(IDS_PER_DRAW * ID_BYTES);
/** Those of the id that is being made: a view of them in `random` would take as long as all the rest. */
const own = Buffer.alloc(ID_BYTES);
let used = random.length;
let milliseconds = 0;
let counter = 0;

/** By how much the clock may go back, in ms, and ids still go on in order. One that was far ahead is not followed for ever. */
const MOST_BACK = 5_000;

/**
 * A new job id: a UUIDv7, so ids made one after another in a process sort in that order, unless its clock is set back by
 * more than some seconds meanwhile.
 */
export function newJobId(): Buffer {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  for (let index = 0; index < ID_BYTES; index++) {
    own[index] = random[used++]!;
  }
  const now = Date.now();
  if (now > milliseconds || now < milliseconds - MOST_BACK) {
    milliseconds = now;
    counter = own.readUInt32LE() % COUNTER_START;
  } else {
    counter++;
  }
  return v7({ random: own, msecs: milliseconds, seq: counter }, Buffer.allocUnsafe(ID_BYTES));
}

/** The usual text of an id read from the database. Written in place: cut from a text of hex digits it takes twice as long. */
export function uuidFromBytes(bytes: Buffer): string {
  for (let index = 0; index < ID_BYTES; index++) {
    const byte = bytes[index]!;
    const place = TEXT_PLACES[index]!;
    text[place] = HEX_DIGITS[byte >> 4]!;
    text[place + 1] = HEX_DIGITS[byte & 15]!;
  }
  return text.toString('latin1');
}

/** The 16 bytes an id is stored as. */
export function uuidToBytes(id: string): Buffer {
  return Buffer.from(parse(id));
}

/** Whether a text is an id at all. */
export function isJobId(value: unknown): value is string {
  return validate(value);
}

/** @throws InvalidOptionError */
export function assertJobId(id: unknown): asserts id is string {
  if (!isJobId(id)) {
    throw new InvalidOptionError('id', id, 'the id of a job, a UUID');
  }
}

/** The lowest id that could have been made at a time, in ms. */
export function firstIdAt(time: number): Buffer {
  const id = Buffer.alloc(ID_BYTES);
  id.writeUIntBE(Math.max(0, time), 0, 6);
  return id;
}

/** No job has this id or a lower one. */
export const BEFORE_ALL_IDS: Buffer = Buffer.alloc(ID_BYTES);

/** No job has this id or a higher one. */
export const BEHIND_ALL_IDS: Buffer = Buffer.alloc(ID_BYTES, 0xff);

import { randomFillSync } from 'node:crypto';

import { parse, v7, validate } from 'uuid';

import { InvalidOptionError } from '../errors/index.js';

/** Random bytes are drawn for this many ids at a time. See docs/decisions/0029. */
const IDS_PER_DRAW = 256;
export const ID_BYTES = 16;
/** The counter within a millisecond has 32 bits and starts in the lower half, so that it cannot overflow. */
const COUNTER_START = 2 ** 31;

const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** The offset of each byte's two digits in the text of an id. */
const TEXT_OFFSETS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const text = Buffer.from('00000000-0000-0000-0000-000000000000');

const random = Buffer.alloc(IDS_PER_DRAW * ID_BYTES);
/** The random bytes of the next id: copying them is faster than a view of `random`. */
const own = Buffer.alloc(ID_BYTES);
let used = random.length;
let milliseconds = 0;
let counter = 0;

/** If the clock goes back by up to this many ms, ids stay in order. After a larger step they follow the clock. */
const MOST_BACK = 5_000;

/**
 * Makes a job id: a UUIDv7. The ids of one process sort in the order of their creation, unless its clock goes back by
 * more than `MOST_BACK`.
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

/** Makes the id of a set of children: a UUIDv8, so that no other group has such an id. Sorts as those of jobs do. */
export function newChildSetId(): Buffer {
  const id = newJobId();
  id[6] = (id[6]! & 0x0f) | 0x80;
  return id;
}

/** Whether a group is a set of children of a durable job. */
export function isChildSet(groupId: Buffer): boolean {
  return groupId[6]! >> 4 === 8;
}

/** Returns the text of an id. Writing the digits in place is twice as fast as slicing a hex string. */
export function uuidFromBytes(bytes: Buffer): string {
  for (let index = 0; index < ID_BYTES; index++) {
    const byte = bytes[index]!;
    const offset = TEXT_OFFSETS[index]!;
    text[offset] = HEX_DIGITS[byte >> 4]!;
    text[offset + 1] = HEX_DIGITS[byte & 15]!;
  }
  return text.toString('latin1');
}

/** Returns the 16 bytes of an id, as it is stored. */
export function uuidToBytes(id: string): Buffer {
  return Buffer.from(parse(id));
}

/** Returns whether a value is the text of an id. */
export function isJobId(value: unknown): value is string {
  return validate(value);
}

/** @throws InvalidOptionError */
export function assertJobId(id: unknown): asserts id is string {
  if (!isJobId(id)) {
    throw new InvalidOptionError('id', id, 'the id of a job, a UUID');
  }
}

/** Returns the lowest id of a time, in ms since 1970. */
export function firstIdAt(time: number): Buffer {
  const id = Buffer.alloc(ID_BYTES);
  id.writeUIntBE(Math.max(0, time), 0, 6);
  return id;
}

/** No job has this id or a lower one. */
export const BEFORE_ALL_IDS: Buffer = Buffer.alloc(ID_BYTES);

/** No job has this id or a higher one. */
export const BEHIND_ALL_IDS: Buffer = Buffer.alloc(ID_BYTES, 0xff);

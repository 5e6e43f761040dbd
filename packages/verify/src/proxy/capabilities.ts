import type { Packet } from './packets.js';

/** CLIENT_SSL: all later data is encrypted. */
const SSL = 1 << 11;
/** CLIENT_COMPRESS */
const COMPRESS = 1 << 5;
/** CLIENT_DEPRECATE_EOF: a result ends with an OK packet. */
const DEPRECATE_EOF = 1 << 24;
/** CLIENT_QUERY_ATTRIBUTES: attributes may precede the text of a query. */
const QUERY_ATTRIBUTES = 1 << 27;

/** The capabilities of the protocol that client and server agreed on. */
export interface Capabilities {
  /** Whether the packets are neither encrypted nor compressed. */
  readonly isReadable: boolean;
  readonly endsWithOk: boolean;
  readonly hasQueryAttributes: boolean;
}

/** Returns the capabilities in the greeting of a server; 0 if it refuses the connection instead. */
export function offeredBy({ payload }: Packet): number {
  if (payload[0] !== 10) {
    return 0;
  }
  const afterVersion = payload.indexOf(0, 1) + 1;
  // After 4 bytes of the thread's id, 8 of the password data, and a zero. The upper half follows character set and
  // status.
  const lower = afterVersion + 4 + 8 + 1;
  return (payload.readUInt16LE(lower) | (payload.readUInt16LE(lower + 5) << 16)) >>> 0;
}

/** @param response the client's first packet, with the capabilities that it requests. */
export function agreedOn(offered: number, { payload }: Packet): Capabilities {
  const both = offered & payload.readUInt32LE(0);
  return {
    isReadable: (both & (SSL | COMPRESS)) === 0,
    endsWithOk: (both & DEPRECATE_EOF) !== 0,
    hasQueryAttributes: (both & QUERY_ATTRIBUTES) !== 0,
  };
}

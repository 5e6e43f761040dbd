/** One packet of the MySQL protocol. */
export interface Packet {
  /** 0 for the first packet of a command. */
  readonly sequence: number;
  readonly payload: Buffer;
  /** Whether it continues the packet before it. A packet has at most 16 MB. */
  readonly isContinuation: boolean;
  /** The packet with its header. */
  readonly bytes: Buffer;
}

const HEADER = 4;
const LARGEST = 0xffffff;

/** Splits a stream into packets. */
export class PacketReader {
  private rest: readonly Buffer[] = [];
  private restLength = 0;
  private continues = false;

  /** Returns the packets that are complete now. */
  read(chunk: Buffer): Packet[] {
    this.rest = [...this.rest, chunk];
    this.restLength += chunk.length;
    const packets: Packet[] = [];
    while (this.restLength >= HEADER) {
      const all = this.joined();
      const length = all.readUIntLE(0, 3);
      const end = HEADER + length;
      if (all.length < end) {
        break;
      }
      packets.push({
        sequence: all.readUInt8(3),
        payload: all.subarray(HEADER, end),
        isContinuation: this.continues,
        bytes: all.subarray(0, end),
      });
      this.continues = length === LARGEST;
      this.rest = [all.subarray(end)];
      this.restLength = all.length - end;
    }
    return packets;
  }

  /** Removes and returns the bytes of an incomplete packet. */
  takeRest(): Buffer {
    const rest = this.joined();
    this.rest = [];
    this.restLength = 0;
    return rest;
  }

  private joined(): Buffer {
    const all = this.rest.length === 1 ? (this.rest[0] as Buffer) : Buffer.concat(this.rest);
    this.rest = [all];
    return all;
  }
}

/** Reads a number of variable length. Returns it, and the index after it. */
export function lengthEncoded(payload: Buffer, at: number): [value: number, next: number] {
  const first = payload[at] ?? 0;
  switch (first) {
    case 0xfc:
      return [payload.readUInt16LE(at + 1), at + 3];
    case 0xfd:
      return [payload.readUIntLE(at + 1, 3), at + 4];
    case 0xfe:
      return [Number(payload.readBigUInt64LE(at + 1)), at + 9];
    default:
      return [first, at + 1];
  }
}

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

/** The commands that the proxy distinguishes, by their first byte. */
export const COMMANDS = {
  0x01: 'COM_QUIT',
  0x02: 'COM_INIT_DB',
  0x03: 'COM_QUERY',
  0x04: 'COM_FIELD_LIST',
  0x09: 'COM_STATISTICS',
  0x0e: 'COM_PING',
  0x11: 'COM_CHANGE_USER',
  0x16: 'COM_STMT_PREPARE',
  0x17: 'COM_STMT_EXECUTE',
  0x18: 'COM_STMT_SEND_LONG_DATA',
  0x19: 'COM_STMT_CLOSE',
  0x1a: 'COM_STMT_RESET',
  0x1c: 'COM_STMT_FETCH',
  0x1f: 'COM_RESET_CONNECTION',
} as const;

export type CommandName = (typeof COMMANDS)[keyof typeof COMMANDS] | 'another command';

export interface Command {
  readonly name: CommandName;
  /** The first 16 MB of the statement of COM_QUERY and COM_STMT_PREPARE. */
  readonly text: string | undefined;
}

/** @param packet the first packet of a command. */
export function commandIn({ payload }: Packet, capabilities: Capabilities): Command {
  const name = COMMANDS[payload[0] as keyof typeof COMMANDS] ?? 'another command';
  switch (name) {
    case 'COM_QUERY':
      return { name, text: payload.toString('utf8', capabilities.hasQueryAttributes ? afterAttributes(payload) : 1) };
    case 'COM_STMT_PREPARE':
      return { name, text: payload.toString('utf8', 1) };
    default:
      return { name, text: undefined };
  }
}

/** Returns where the text of a query starts. If the query has attributes, the text starts with their bytes. */
function afterAttributes(payload: Buffer): number {
  const [, afterCount] = lengthEncoded(payload, 1);
  const [, afterSets] = lengthEncoded(payload, afterCount);
  return afterSets;
}

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

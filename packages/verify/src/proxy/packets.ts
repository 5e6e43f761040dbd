/** One packet of the MySQL protocol. */
export interface Packet {
  /** 0 for the first packet of a command. */
  readonly sequence: number;
  readonly payload: Buffer;
  /** Whether it goes on with what the packet before it has begun: one is 16 MB at most. */
  readonly isContinuation: boolean;
  /** The packet as it was received, with its header. */
  readonly bytes: Buffer;
}

const HEADER = 4;
const LARGEST = 0xffffff;

/** Cuts a stream into packets. */
export class PacketReader {
  private rest: readonly Buffer[] = [];
  private restLength = 0;
  private continues = false;

  /** @returns the packets that are complete now. */
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

  /** What has come of a packet that is not complete. */
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

/** A number of variable length. @returns it, and where what follows begins. */
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

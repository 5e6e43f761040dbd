import { type Capabilities, type CommandName, type Packet, lengthEncoded } from './protocol.js';

const OK = 0x00;
const END = 0xfe;
const FAILED = 0xff;
/** An OK or END packet is shorter than a row that starts with the same byte. */
const LONGEST_END = 9;
/** SERVER_MORE_RESULTS_EXISTS */
const MORE_RESULTS = 8;

type State = 'first' | 'columns' | 'rows' | 'definitions' | 'until ok' | 'complete';

/** The commands without a response. */
const UNANSWERED: ReadonlySet<CommandName> = new Set(['COM_QUIT', 'COM_STMT_CLOSE', 'COM_STMT_SEND_LONG_DATA']);

/** Reads the packets of a response, to find the last one. */
export class ResponseReader {
  private state: State;
  /** The number of packets until the state changes. */
  private remaining = 0;

  constructor(
    private readonly command: CommandName,
    private readonly capabilities: Capabilities,
  ) {
    this.state = UNANSWERED.has(command) ? 'complete' : command === 'COM_CHANGE_USER' ? 'until ok' : 'first';
    if (command === 'COM_STMT_FETCH' || command === 'COM_FIELD_LIST') {
      this.state = 'rows';
    }
  }

  get isComplete(): boolean {
    return this.state === 'complete';
  }

  read(packet: Packet): void {
    if (packet.isContinuation) {
      return;
    }
    const { payload } = packet;
    if (payload[0] === FAILED) {
      this.state = 'complete';
      return;
    }
    switch (this.state) {
      case 'first':
        this.readFirst(payload);
        break;
      case 'until ok':
        this.state = payload[0] === OK ? 'complete' : 'until ok';
        break;
      case 'columns':
      case 'definitions':
        if (--this.remaining === 0) {
          this.state = this.state === 'columns' ? 'rows' : 'complete';
        }
        break;
      case 'rows':
        if (payload[0] === END && payload.length < (this.capabilities.endsWithOk ? 0xffffff : LONGEST_END)) {
          this.endResult(this.capabilities.endsWithOk ? statusOfOk(payload) : payload.readUInt16LE(3));
        }
        break;
      case 'complete':
    }
  }

  private readFirst(payload: Buffer): void {
    if (this.command === 'COM_STMT_PREPARE') {
      const [columns, parameters] = [payload.readUInt16LE(5), payload.readUInt16LE(7)];
      this.remaining = this.packetsOf(columns) + this.packetsOf(parameters);
      this.state = this.remaining > 0 ? 'definitions' : 'complete';
    } else if (this.command === 'COM_STATISTICS') {
      this.state = 'complete';
    } else if (payload[0] === OK) {
      this.endResult(statusOfOk(payload));
    } else if (payload[0] !== 0xfb) {
      // 0xfb requests a file from the client. The result follows after the file.
      this.remaining = this.packetsOf(lengthEncoded(payload, 0)[0]);
      this.state = 'columns';
    }
  }

  private packetsOf(definitions: number): number {
    return definitions === 0 || this.capabilities.endsWithOk ? definitions : definitions + 1;
  }

  private endResult(status: number): void {
    this.state = (status & MORE_RESULTS) === 0 ? 'complete' : 'first';
  }
}

function statusOfOk(payload: Buffer): number {
  const [, afterAffected] = lengthEncoded(payload, 1);
  const [, afterId] = lengthEncoded(payload, afterAffected);
  return payload.length >= afterId + 2 ? payload.readUInt16LE(afterId) : 0;
}

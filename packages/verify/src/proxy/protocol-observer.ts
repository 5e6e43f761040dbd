import {
  type Capabilities,
  type Command,
  type Packet,
  PacketReader,
  agreedOn,
  commandIn,
  offeredBy,
} from './protocol.js';
import { ResponseReader } from './response-reader.js';

/** When something happens at a command: before the server receives it, or before the client receives the response. */
export type Side = 'before' | 'after';

/** An action at a command. */
export interface Interception {
  readonly side: Side;
  act(): void;
}

/** Called with each command before it is forwarded. Returns undefined to forward it normally. */
export type CommandListener = (command: Command) => Interception | undefined;

/**
 * Reads the protocol between a client and a server, to find the commands and the ends of their responses. Encrypted and
 * compressed connections are forwarded unread.
 */
export class ProtocolObserver {
  private readonly fromClient = new PacketReader();
  private readonly fromServer = new PacketReader();
  private offered: number | undefined;
  private capabilities: Capabilities | undefined;
  private response: ResponseReader | undefined;
  private interception: Interception | undefined;
  /** The response so far, which the client must not receive before the interception. */
  private withheld: Buffer[] = [];

  constructor(private readonly onCommand: CommandListener) {}

  private get isReadable(): boolean {
    return this.capabilities?.isReadable ?? true;
  }

  /** Returns the bytes to forward to the server, after any interception `before` them. */
  readFromClient(chunk: Buffer): Buffer {
    if (!this.isReadable) {
      return chunk;
    }
    const forwarded: Buffer[] = [];
    for (const packet of this.fromClient.read(chunk)) {
      if (this.capabilities === undefined) {
        this.capabilities = agreedOn(this.offered ?? 0, packet);
      } else if (packet.sequence === 0 && !packet.isContinuation) {
        this.startCommand(packet, this.capabilities);
      }
      forwarded.push(packet.bytes);
    }
    if (!this.isReadable) {
      forwarded.push(this.fromClient.takeRest());
    }
    return Buffer.concat(forwarded);
  }

  /** Returns the bytes to forward to the client. A response with an interception `after` it is withheld until then. */
  readFromServer(chunk: Buffer): Buffer {
    if (!this.isReadable) {
      return chunk;
    }
    const forwarded = this.withheld.splice(0);
    for (const packet of this.fromServer.read(chunk)) {
      this.offered ??= offeredBy(packet);
      forwarded.push(packet.bytes);
      this.response?.read(packet);
      if (this.response?.isComplete) {
        this.endCommand();
      }
    }
    if (this.interception) {
      this.withheld = forwarded;
      return Buffer.alloc(0);
    }
    return Buffer.concat(forwarded);
  }

  private startCommand(packet: Packet, capabilities: Capabilities): void {
    const command = commandIn(packet, capabilities);
    const interception = this.onCommand(command);
    if (interception?.side === 'before') {
      interception.act();
    } else {
      this.interception = interception;
    }
    this.response = new ResponseReader(command.name, capabilities);
    if (this.response.isComplete) {
      this.endCommand();
    }
  }

  private endCommand(): void {
    const { interception } = this;
    this.response = undefined;
    this.interception = undefined;
    interception?.act();
  }
}

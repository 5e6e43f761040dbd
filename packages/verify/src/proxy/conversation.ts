import { AnswerReader } from './answer-reader.js';
import { type Capabilities, agreedOn, offeredBy } from './capabilities.js';
import { type Command, commandIn } from './commands.js';
import { type Packet, PacketReader } from './packets.js';

/** On which side of a command something happens: before the server gets it, or after its answer, before the client does. */
export type Side = 'before' | 'after';

/** What is to happen at a command. */
export interface Strike {
  readonly side: Side;
  act(): void;
}

/** Told of each command before it goes on. @returns undefined to let it pass. */
export type CommandListener = (command: Command) => Strike | undefined;

/**
 * Follows what a client and a server say to one another, far enough to know the commands and the ends of their answers.
 * Encrypted and compressed connections are passed on unread.
 */
export class Conversation {
  private readonly fromClient = new PacketReader();
  private readonly fromServer = new PacketReader();
  private offered: number | undefined;
  private capabilities: Capabilities | undefined;
  private answer: AnswerReader | undefined;
  private strike: Strike | undefined;
  /** What is kept from the client until that has happened. */
  private withheld: Buffer[] = [];

  constructor(private readonly onCommand: CommandListener) {}

  private get isReadable(): boolean {
    return this.capabilities?.isReadable ?? true;
  }

  /** @returns what goes on to the server, after what was to happen has happened. */
  clientSays(chunk: Buffer): Buffer {
    if (!this.isReadable) {
      return chunk;
    }
    const said: Buffer[] = [];
    for (const packet of this.fromClient.read(chunk)) {
      if (this.capabilities === undefined) {
        this.capabilities = agreedOn(this.offered ?? 0, packet);
      } else if (packet.sequence === 0 && !packet.isContinuation) {
        this.begin(packet, this.capabilities);
      }
      said.push(packet.bytes);
    }
    if (!this.isReadable) {
      said.push(this.fromClient.takeRest());
    }
    return Buffer.concat(said);
  }

  /** @returns what goes on to the client: nothing of an answer at whose end something is to happen until it has. */
  serverSays(chunk: Buffer): Buffer {
    if (!this.isReadable) {
      return chunk;
    }
    const said = this.withheld.splice(0);
    for (const packet of this.fromServer.read(chunk)) {
      this.offered ??= offeredBy(packet);
      said.push(packet.bytes);
      this.answer?.read(packet);
      if (this.answer?.isComplete) {
        this.end();
      }
    }
    if (this.strike) {
      this.withheld = said;
      return Buffer.alloc(0);
    }
    return Buffer.concat(said);
  }

  private begin(packet: Packet, capabilities: Capabilities): void {
    const command = commandIn(packet, capabilities);
    const strike = this.onCommand(command);
    if (strike?.side === 'before') {
      strike.act();
    } else {
      this.strike = strike;
    }
    this.answer = new AnswerReader(command.name, capabilities);
    if (this.answer.isComplete) {
      this.end();
    }
  }

  private end(): void {
    const { strike } = this;
    this.answer = undefined;
    this.strike = undefined;
    strike?.act();
  }
}

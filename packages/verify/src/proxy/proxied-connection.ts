import { type Socket, connect } from 'node:net';

import { Channel } from './channel.js';
import type { Command } from './commands.js';
import type { Conditions } from './conditions.js';
import { Conversation, type Strike } from './conversation.js';
import { reset } from './reset.js';

/** How a connection breaks: as with a firewall that resets it (RST), or as with an end in order (FIN). */
export type Break = 'reset' | 'end';

/** Which way nothing arrives any more. */
export type Direction = 'to server' | 'to client' | 'both';

/** One connection through the proxy. */
export class ProxiedConnection {
  private readonly upstream: Socket;
  private readonly toServer: Channel;
  private readonly toClient: Channel;
  private readonly closed: Promise<void>;
  private isGone = false;

  /**
   * @param id counts the connections of a proxy from 1.
   * @param onCommand told of each command of the client's.
   */
  constructor(
    readonly id: number,
    private readonly client: Socket,
    target: URL,
    conditions: Conditions,
    onCommand: (connection: ProxiedConnection, command: Command) => Strike | undefined,
  ) {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    this.upstream = connect({ port: Number(target.port || 3306), host, allowHalfOpen: true, noDelay: true });
    this.toServer = new Channel(client, this.upstream, conditions);
    this.toClient = new Channel(this.upstream, client, conditions);
    const conversation = new Conversation((command) => onCommand(this, command));
    client.on('data', (chunk: Buffer) => this.toServer.send(conversation.clientSays(chunk)));
    this.upstream.on('data', (chunk: Buffer) => this.toClient.send(conversation.serverSays(chunk)));
    client.on('end', () => this.lostClient());
    client.on('error', () => this.lostClient());
    this.upstream.on('end', () => this.toClient.end());
    this.upstream.on('error', () => this.toClient.reset());
    this.closed = Promise.all(
      [client, this.upstream].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    ).then(() => undefined);
  }

  /** The port that the client knows it by. */
  get clientPort(): number | undefined {
    return this.client.remotePort;
  }

  /** Whether the client has closed it. The server may not have heard of that yet. */
  get isAbandoned(): boolean {
    return this.isGone;
  }

  /** Resolves when neither side has it open. */
  whenClosed(): Promise<void> {
    return this.closed;
  }

  /** Breaks it on both sides. What is on its way is lost. */
  cut(how: Break = 'reset'): void {
    for (const socket of [this.client, this.upstream]) {
      if (how === 'reset') {
        reset(socket);
      } else {
        socket.destroy();
      }
    }
  }

  /** Nothing arrives any more, and nobody is told: neither of data nor of an end. */
  silence(direction: Direction): void {
    if (direction !== 'to client') {
      this.toServer.silence();
    }
    if (direction !== 'to server') {
      this.toClient.silence();
    }
  }

  /** What was sent meanwhile arrives, late. */
  heal(): void {
    this.toServer.heal();
    this.toClient.heal();
  }

  private lostClient(): void {
    if (!this.isGone) {
      this.isGone = true;
      this.toServer.end();
    }
  }
}

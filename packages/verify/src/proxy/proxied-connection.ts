import { type Socket, connect } from 'node:net';

import { Channel, type NetworkConditions, reset } from './channel.js';
import type { Command } from './protocol.js';
import { ProtocolObserver, type Interception } from './protocol-observer.js';

/** How a connection is cut: reset as by a firewall (RST), or closed in order (FIN). */
export type CutMode = 'reset' | 'end';

/** The direction in which no data arrives. */
export type Direction = 'to server' | 'to client' | 'both';

/** One connection through the proxy. */
export class ProxiedConnection {
  private readonly upstream: Socket;
  private readonly toServer: Channel;
  private readonly toClient: Channel;
  private readonly closed: Promise<void>;
  private isGone = false;

  /**
   * @param id the number of the connection, from 1.
   * @param onCommand called with each command of the client.
   */
  constructor(
    readonly id: number,
    private readonly client: Socket,
    target: URL,
    conditions: NetworkConditions,
    onCommand: (connection: ProxiedConnection, command: Command) => Interception | undefined,
  ) {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    this.upstream = connect({ port: Number(target.port || 3306), host, allowHalfOpen: true, noDelay: true });
    this.toServer = new Channel(client, this.upstream, conditions);
    this.toClient = new Channel(this.upstream, client, conditions);
    const observer = new ProtocolObserver((command) => onCommand(this, command));
    client.on('data', (chunk: Buffer) => this.toServer.send(observer.readFromClient(chunk)));
    this.upstream.on('data', (chunk: Buffer) => this.toClient.send(observer.readFromServer(chunk)));
    client.on('end', () => this.onClientGone());
    client.on('error', () => this.onClientGone());
    this.upstream.on('end', () => this.toClient.end());
    this.upstream.on('error', () => this.toClient.reset());
    this.closed = Promise.all(
      [client, this.upstream].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    ).then(() => undefined);
  }

  get clientPort(): number | undefined {
    return this.client.remotePort;
  }

  /** Whether the client has closed it. The server may not know yet. */
  get isAbandoned(): boolean {
    return this.isGone;
  }

  /** Resolves when both sides are closed. */
  whenClosed(): Promise<void> {
    return this.closed;
  }

  /** Breaks both sides. Data in transit is lost. */
  cut(how: CutMode = 'reset'): void {
    for (const socket of [this.client, this.upstream]) {
      if (how === 'reset') {
        reset(socket);
      } else {
        socket.destroy();
      }
    }
  }

  /** From now on nothing arrives, neither data nor the end of the connection, and no error is reported. */
  silence(direction: Direction): void {
    if (direction !== 'to client') {
      this.toServer.silence();
    }
    if (direction !== 'to server') {
      this.toClient.silence();
    }
  }

  /** Ends `silence`: the data that was sent meanwhile arrives late. */
  heal(): void {
    this.toServer.heal();
    this.toClient.heal();
  }

  private onClientGone(): void {
    if (!this.isGone) {
      this.isGone = true;
      this.toServer.end();
    }
  }
}

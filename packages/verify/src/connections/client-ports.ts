import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const CHANNEL = 'net.client.socket';

/** The local ports of the connections that this process opens from now on. */
export class ClientPorts {
  /** Includes the ports of closed connections. */
  readonly all = new Set<number>();
  private readonly sockets = new Set<Socket>();
  private readonly onSocket = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    this.sockets.add(socket);
    socket.once('connect', () => socket.localPort !== undefined && this.all.add(socket.localPort));
    socket.once('close', () => this.sockets.delete(socket));
  };

  constructor() {
    subscribe(CHANNEL, this.onSocket);
  }

  /** The ports of the connections that are open now. */
  get open(): ReadonlySet<number> {
    return new Set([...this.sockets].flatMap(({ localPort }) => localPort ?? []));
  }

  /** Ignores connections opened after this call. */
  stop(): void {
    unsubscribe(CHANNEL, this.onSocket);
  }
}

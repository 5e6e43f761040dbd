import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const CHANNEL = 'net.client.socket';

/** The ports, on this side, of the connections that this process makes from now on. */
export class ClientPorts {
  /** Also of those that are closed. */
  readonly all = new Set<number>();
  private readonly sockets = new Set<Socket>();
  private readonly note = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    this.sockets.add(socket);
    socket.once('connect', () => socket.localPort !== undefined && this.all.add(socket.localPort));
    socket.once('close', () => this.sockets.delete(socket));
  };

  constructor() {
    subscribe(CHANNEL, this.note);
  }

  /** Of those that are open now. */
  get open(): ReadonlySet<number> {
    return new Set([...this.sockets].flatMap(({ localPort }) => localPort ?? []));
  }

  /** Takes no notice of further ones. */
  stop(): void {
    unsubscribe(CHANNEL, this.note);
  }
}

import { type Server, type Socket, connect, createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Stands between a client and a server and can be cut. */
export class TcpProxy {
  private server: Server | undefined;
  private port = 0;
  private readonly sockets = new Set<Socket>();

  constructor(private readonly target: URL) {}

  /** Begins to listen, at the same address each time. */
  async open(): Promise<void> {
    this.server = createServer((client) => {
      const upstream = connect(Number(this.target.port || 3306), this.target.hostname);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** The target's URL, by way of this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Lets the open connections fall silent, as after the loss of a route: nothing arrives, and nothing breaks. */
  silence(): void {
    this.sockets.forEach((socket) => {
      socket.unpipe();
      socket.pause();
    });
  }

  /** Refuses new connections and breaks the open ones. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.sockets.forEach((socket) => socket.destroy());
    if (server) {
      server.close();
      await once(server, 'close');
    }
  }
}

import { type Server, type Socket, connect, createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Connects clients to a cluster, as a router or a load balancer does. */
export class Balancer {
  private server: Server | undefined;
  private port = 0;
  private readonly sockets = new Set<Socket>();

  /** @param targets returns the servers for a new client, which gets the first one that listens. */
  constructor(private readonly targets: () => readonly URL[]) {}

  /** Starts to listen, at the same address each time. */
  async open(): Promise<void> {
    this.server = createServer((client) => {
      this.keep(client);
      client.on('error', () => client.destroy());
      void this.serve(client);
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** The URL of the cluster through the balancer. */
  get url(): string {
    const url = new URL(this.targets()[0]!);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Refuses new connections and breaks open ones. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.sockets.forEach((socket) => socket.destroy());
    if (server) {
      server.close();
      await once(server, 'close');
    }
  }

  private async serve(client: Socket): Promise<void> {
    for (const target of this.targets()) {
      const upstream = connect(Number(target.port || 3306), target.hostname);
      this.keep(upstream);
      const isOpen = await once(upstream, 'connect').then(
        () => true,
        () => false,
      );
      upstream.on('error', () => upstream.destroy());
      if (client.destroyed) {
        upstream.destroy();
        return;
      }
      if (isOpen) {
        upstream.on('close', () => client.destroy());
        client.on('close', () => upstream.destroy());
        client.pipe(upstream);
        upstream.pipe(client);
        return;
      }
    }
    client.destroy();
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
  }
}

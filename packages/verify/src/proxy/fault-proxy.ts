import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

import type { Command } from './protocol.js';
import { NetworkConditions, reset } from './channel.js';
import type { Interception } from './protocol-observer.js';
import { type CutMode, type Direction, ProxiedConnection } from './proxied-connection.js';

/** A command that is about to be sent to the server. */
export interface PassingCommand extends Command {
  readonly connection: ProxiedConnection;
}

/** Decides what happens at a command. Returns undefined to let it pass. */
export type Interceptor = (command: PassingCommand) => Interception | undefined;

/**
 * A proxy between clients and a MySQL or MariaDB server, on loopback, that simulates network faults. It breaks, delays,
 * throttles and silences connections, and refuses new ones. It can break a connection at a given statement.
 */
export class FaultProxy {
  private readonly interceptors = new Set<Interceptor>();
  private readonly refusals = new Set<symbol>();
  private server: Server | undefined;
  private port = 0;
  private count = 0;
  private readonly live = new Set<ProxiedConnection>();
  private readonly conditions = new NetworkConditions();

  /** @param target the URL of the server. */
  constructor(private readonly target: URL) {}

  /** Starts to listen. The address is the same after `close` and another `open`. */
  async open(): Promise<void> {
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.accept(client));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Breaks all connections and accepts no new ones until `open`. Further calls have no effect. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.cut();
    if (server) {
      server.close();
      await once(server, 'close');
    }
  }

  /** The URL of the server, with the address of the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** The open connections, oldest first. */
  get connections(): readonly ProxiedConnection[] {
    return [...this.live];
  }

  /** Breaks all open connections. */
  cut(how: CutMode = 'reset'): void {
    this.connections.forEach((connection) => connection.cut(how));
  }

  /** Stops the data on all open connections, as the loss of a route does. New connections are not affected. */
  silence(direction: Direction = 'both'): void {
    this.connections.forEach((connection) => connection.silence(direction));
  }

  /** From now on data arrives later by the given ms, in each direction. */
  delay(milliseconds: number): void {
    this.conditions.delay = milliseconds;
  }

  /** From now on each direction of each connection has at most this speed. */
  throttle(bytesPerSecond: number): void {
    this.conditions.bytesPerSecond = bytesPerSecond;
  }

  /** Ends `delay` and `throttle`. Delayed data arrives at once. */
  restoreSpeed(): void {
    this.conditions.heal();
  }

  /**
   * From now on new connections are reset, as a firewall does.
   *
   * @returns a function that ends it.
   */
  refuse(): () => void {
    const refusal = Symbol('refusal');
    this.refusals.add(refusal);
    return () => void this.refusals.delete(refusal);
  }

  /**
   * Calls the interceptor with each command from now on. Of several interceptors the first result counts.
   *
   * @returns a function that ends it.
   */
  intercept(interceptor: Interceptor): () => void {
    this.interceptors.add(interceptor);
    return () => void this.interceptors.delete(interceptor);
  }

  /** Ends `silence`, `refuse`, `delay` and `throttle`. Delayed data arrives at once. */
  heal(): void {
    this.refusals.clear();
    this.conditions.heal();
    this.connections.forEach((connection) => connection.heal());
  }

  private accept(client: Socket): void {
    if (this.refusals.size > 0) {
      reset(client);
      return;
    }
    const connection = new ProxiedConnection(++this.count, client, this.target, this.conditions, (each, command) =>
      this.findInterception({ ...command, connection: each }),
    );
    this.live.add(connection);
    void connection.whenClosed().then(() => this.live.delete(connection));
  }

  private findInterception(command: PassingCommand): Interception | undefined {
    for (const interceptor of this.interceptors) {
      const interception = interceptor(command);
      if (interception) {
        return interception;
      }
    }
    return undefined;
  }
}

import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

import type { Command } from './commands.js';
import { Conditions } from './conditions.js';
import type { Strike } from './conversation.js';
import { type Break, type Direction, ProxiedConnection } from './proxied-connection.js';
import { reset } from './reset.js';

/** A command that is about to be sent to the server. */
export interface PassingCommand extends Command {
  /** Of which connection it is. */
  readonly connection: ProxiedConnection;
}

/** Decides what happens at a command. */
export type Interceptor = (command: PassingCommand) => Strike | undefined;

/**
 * Stands between clients and a MySQL or MariaDB server, on loopback, and does to their connections what networks do:
 * breaks them, delays them, lets them fall silent, in one direction or both, and refuses new ones. It can do so at a
 * statement.
 */
export class FaultProxy {
  private readonly interceptors = new Set<Interceptor>();
  private readonly refusals = new Set<symbol>();
  private server: Server | undefined;
  private port = 0;
  private count = 0;
  private readonly live = new Set<ProxiedConnection>();
  private readonly conditions = new Conditions();

  /** @param target the server's URL. */
  constructor(private readonly target: URL) {}

  /** Begins to listen, at the same address each time. */
  async open(): Promise<void> {
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.accept(client));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Breaks all connections and takes no new ones until `open`. Idempotent. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.cut();
    if (server) {
      server.close();
      await once(server, 'close');
    }
  }

  /** The target's URL, by way of this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** The open connections, the oldest first. */
  get connections(): readonly ProxiedConnection[] {
    return [...this.live];
  }

  /** Breaks all open connections. */
  cut(how: Break = 'reset'): void {
    this.connections.forEach((connection) => connection.cut(how));
  }

  /** Lets all open connections fall silent, as after the loss of a route. New ones are not. */
  silence(direction: Direction = 'both'): void {
    this.connections.forEach((connection) => connection.silence(direction));
  }

  /** From now on everything takes longer by so many ms, each way. */
  delay(milliseconds: number): void {
    this.conditions.delay = milliseconds;
  }

  /** From now on each direction of each connection is no faster than this. */
  throttle(bytesPerSecond: number): void {
    this.conditions.bytesPerSecond = bytesPerSecond;
  }

  /** Ends `delay` and `throttle`: what was on its way arrives at once. */
  hurry(): void {
    this.conditions.heal();
  }

  /**
   * From now on new connections are reset, as by a firewall.
   *
   * @returns what ends it. Idempotent.
   */
  refuse(): () => void {
    const refusal = Symbol('refusal');
    this.refusals.add(refusal);
    return () => void this.refusals.delete(refusal);
  }

  /**
   * Asks about each command of each connection from now on. The first who wants something to happen there has his will.
   *
   * @returns what ends it. Idempotent.
   */
  intercept(interceptor: Interceptor): () => void {
    this.interceptors.add(interceptor);
    return () => void this.interceptors.delete(interceptor);
  }

  /** Ends all that was begun here but `close` and `intercept`: what was silent arrives late, what was delayed at once. */
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
      this.ask({ ...command, connection: each }),
    );
    this.live.add(connection);
    void connection.whenClosed().then(() => this.live.delete(connection));
  }

  private ask(command: PassingCommand): Strike | undefined {
    for (const interceptor of this.interceptors) {
      const strike = interceptor(command);
      if (strike) {
        return strike;
      }
    }
    return undefined;
  }
}

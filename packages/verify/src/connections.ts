import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

import type { DataSource } from 'typeorm';

import type { FaultProxy } from './proxy/fault-proxy.js';

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

  get open(): ReadonlySet<number> {
    return new Set([...this.sockets].flatMap(({ localPort }) => localPort ?? []));
  }

  /** Ignores connections opened after this call. */
  stop(): void {
    unsubscribe(CHANNEL, this.onSocket);
  }
}

/**
 * Returns the client ports of the connections that the server has open to this database. The account sees at least its
 * own connections. Behind address translation the ports differ from those that the clients know, so no match is found.
 *
 * @param own the ports of this process. They are left out, because the system may have given the same port to an
 *   earlier process.
 * @param proxy the proxy of this run. The clients behind it are reported by their own ports.
 */
export async function openPorts(
  dataSource: DataSource,
  own: ClientPorts,
  proxy: FaultProxy | undefined,
): Promise<Set<number>> {
  if (dataSource.options.type === 'better-sqlite3') {
    return new Set();
  }
  const rows = (await dataSource.query('SHOW PROCESSLIST')) as {
    readonly Host: string | null;
    readonly db: string | null;
  }[];
  const [here] = (await dataSource.query('SELECT DATABASE() AS db')) as { readonly db: string }[];
  const notOurs = rows
    .filter(({ db }) => db === here?.db)
    .map(({ Host }) => Number(/:(\d+)$/.exec(Host ?? '')?.[1]))
    .filter((port) => !own.open.has(port));
  return new Set([...notOurs, ...(proxy?.connections ?? []).map(({ clientPort }) => Number(clientPort))]);
}

/**
 * How long the server may take to close the connection of a client that is gone, in ms. A server notices this only
 * after the current statement has waited for its locks.
 */
export const DISCONNECT_TIMEOUT = 15_000;

import type { DataSource } from 'typeorm';

import type { FaultProxy } from '../proxy/fault-proxy.js';
import type { ClientPorts } from './client-ports.js';

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

import type { DataSource } from 'typeorm';

import type { ClientPorts } from '../client-ports.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';

/**
 * The ports of clients from which the server has connections to this database, as far as this account may see them: its
 * own at least. Behind a network that changes them they are not those that the client knows, and then nothing is found.
 *
 * @param own of the bench: a machine gives a port to one process after another, and on the way to the proxy and on the
 * way behind it at the same time.
 * @param proxy that of the bench: it knows who is behind its own ports.
 */
export async function openPorts(
  dataSource: DataSource,
  own: ClientPorts,
  proxy: FaultProxy | undefined,
): Promise<Set<number>> {
  if (dataSource.options.type === 'better-sqlite3') {
    return new Set();
  }
  const rows =
    await dataSource.query<{ readonly Host: string | null; readonly db: string | null }[]>('SHOW PROCESSLIST');
  const [here] = await dataSource.query<{ readonly db: string }[]>('SELECT DATABASE() AS db');
  const notOurs = rows
    .filter(({ db }) => db === here?.db)
    .map(({ Host }) => Number(/:(\d+)$/.exec(Host ?? '')?.[1]))
    .filter((port) => !own.open.has(port));
  return new Set([...notOurs, ...(proxy?.connections ?? []).map(({ clientPort }) => Number(clientPort))]);
}

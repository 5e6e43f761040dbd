import type { Socket } from 'node:net';

import type { DataSource } from 'typeorm';

import { withDeadline } from './deadline.js';

/** The pool of TypeORM's MySQL driver, with a field that mysql2 does not document. */
interface DriverPool {
  readonly _allConnections?: { readonly length: number; get?(index: number): { readonly stream: Socket } };
}

/**
 * Closes a data source. Never fails: if the server does not answer in time, its connections are closed at once, also
 * those that are being established, and statements under way fail.
 *
 * mysql2 has no public way: `destroy` ends only this side of a connection, and a server that hangs never ends the
 * other.
 *
 * @param patience in ms.
 */
export async function closeWithin(dataSource: DataSource, patience: number): Promise<void> {
  if (!dataSource.isInitialized) {
    return;
  }
  const all = (dataSource.driver as { readonly pool?: DriverPool }).pool?._allConnections;
  const streams = Array.from({ length: all?.length ?? 0 }, (_, index) => all?.get?.(index).stream);
  try {
    await withDeadline(dataSource.destroy(), patience);
    // The pool does not wait for the server to close its side.
    streams.forEach((stream) => stream?.destroySoon());
  } catch {
    streams.forEach((stream) => stream?.destroy());
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

import mysql from 'mysql2/promise';

const PATIENCE = 60_000;

/** Waits until a server is ready: until a probe of it does not reject. */
export async function waitUntilReady(probe: () => Promise<unknown>, log: () => Promise<string>): Promise<void> {
  const since = performance.now();
  for (;;) {
    try {
      await probe();
      return;
    } catch (error) {
      if (performance.now() - since > PATIENCE) {
        throw new Error(`The server does not get ready: ${String(error)}\n${(await log()).slice(-2000)}`, {
          cause: error,
        });
      }
      await sleep(50);
    }
  }
}

/** Waits until a server is gone: until a probe of it rejects. */
export async function waitUntilGone(probe: () => Promise<unknown>): Promise<void> {
  const isThere = () =>
    probe().then(
      () => true,
      () => false,
    );
  while (await isThere()) {
    await sleep(10);
  }
}

/** The probe of MariaDB and MySQL: they are ready when they answer a query. */
export async function queryServer(url: string): Promise<void> {
  const connection = await mysql.createConnection(url);
  await connection.query('SELECT 1');
  await connection.end();
}

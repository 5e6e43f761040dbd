import { setTimeout as sleep } from 'node:timers/promises';

import mysql from 'mysql2/promise';

const PATIENCE = 60_000;

/** Waits until a server answers a query. */
export async function waitUntilReady(url: string, log: () => Promise<string>): Promise<void> {
  const since = performance.now();
  for (;;) {
    try {
      const connection = await mysql.createConnection(url);
      await connection.query('SELECT 1');
      await connection.end();
      return;
    } catch (error) {
      if (performance.now() - since > PATIENCE) {
        throw new Error(`The server at ${url} does not answer: ${String(error)}\n${(await log()).slice(-2000)}`, {
          cause: error,
        });
      }
      await sleep(50);
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

import mysql from 'mysql2/promise';

const PATIENCE = 60_000;

/** A probe rejects with it when waiting is in vain. */
export class NeverReadyError extends Error {
  override readonly name = 'NeverReadyError';
}

/** Waits until a server is ready: until the probe resolves. */
export async function waitUntilReady(probe: () => Promise<unknown>, log: () => Promise<string>): Promise<void> {
  const since = performance.now();
  for (;;) {
    try {
      await probe();
      return;
    } catch (error) {
      if (error instanceof NeverReadyError) {
        throw error;
      }
      if (performance.now() - since > PATIENCE) {
        throw new Error(
          `The server is not ready after ${PATIENCE / 1000} s: ${String(error)}\n${(await log()).slice(-2000)}`,
          {
            cause: error,
          },
        );
      }
      await sleep(50);
    }
  }
}

/** Waits until a server has ended: until the probe rejects. */
export async function waitUntilGone(probe: () => Promise<unknown>): Promise<void> {
  const isRunning = () =>
    probe().then(
      () => true,
      () => false,
    );
  while (await isRunning()) {
    await sleep(10);
  }
}

/** Probes MariaDB and MySQL, which are ready when they answer a query. */
export async function queryServer(url: string): Promise<void> {
  const connection = await mysql.createConnection(url);
  await connection.query('SELECT 1');
  await connection.end();
}

/** The version that a server reports, such as 10.11.14-MariaDB. */
export async function serverVersion(url: string): Promise<string> {
  const connection = await mysql.createConnection(url);
  try {
    const [rows] = await connection.query('SELECT VERSION() AS version');
    return (rows as { version: string }[])[0]!.version;
  } finally {
    await connection.end();
  }
}

import { DataSource } from 'typeorm';

import type { Random } from '../random.js';
import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';
import { runExclusively } from './run-exclusively.js';
import type { FaultContext } from './fault-context.js';

/** How long a setting stays, in ms. */
const LASTS = { least: 500, most: 3_000 } as const;
/** Fewer connections than a bench has. No server takes less. */
const FEW_CONNECTIONS = 10;
/** ER_LOCK_WAIT_TIMEOUT */
const LOCK_WAIT_TIMEOUT = 1205;

/** What changes the server for the worse, and what changes it back, also after a change that has failed half-way. */
interface Change {
  worsen(): Promise<unknown>;
  restore(): Promise<unknown>;
}

function setting(
  name: string,
  detail: string,
  changeOf: (admin: DataSource, scene: FaultContext) => Change | Promise<Change>,
): Fault {
  return {
    name,
    needs: ['server', 'connection'],
    allows: ['rerun', 'delay'],
    async inject(scene: FaultContext, random: Random, signal: AbortSignal) {
      const length = random.whole(LASTS.least, LASTS.most);
      await runExclusively(scene.server!, async () => {
        if (signal.aborted) {
          return;
        }
        const type = scene.database === 'mysql' ? 'mysql' : 'mariadb';
        const admin = await new DataSource({ type, url: scene.server!.adminUrl, poolSize: 1 }).initialize();
        const open = scene.record('everyone', `${detail} for ${length} ms`);
        try {
          const change = await changeOf(admin, scene);
          try {
            await change.worsen();
            await sleepUnlessEnded(length, signal);
          } finally {
            await change.restore();
          }
        } finally {
          open.end();
          await admin.destroy();
        }
      });
    },
  };
}

/**
 * Makes the server refuse all writes, as a primary does that has been demoted. MariaDB refuses them to those accounts only
 * that lack the privilege READ ONLY ADMIN.
 */
export const readOnlyServer = setting('read-only-server', 'the server is read-only', (admin, { database }) => ({
  worsen: () => refuseWrites(admin, database === 'mysql' ? 'super_read_only' : 'read_only'),
  restore: () => admin.query('SET GLOBAL read_only = 0'),
}));

/**
 * The server waits for the statements that write, and lets nobody begin another. Where one of them waits for a row of a
 * transaction that is kept from its next statement so, nothing moves before `innodb_lock_wait_timeout`, 50 s: two unique
 * enqueues of one key came to that once in a hundred times (MySQL 9.7, 2026-11-23). So it waits for a second, lets
 * everybody go on, and tries again.
 */
async function refuseWrites(admin: DataSource, variable: string): Promise<void> {
  await admin.query('SET SESSION lock_wait_timeout = 1');
  for (;;) {
    try {
      await admin.query(`SET GLOBAL ${variable} = 1`);
      return;
    } catch (error) {
      if ((error as { readonly errno?: unknown }).errno !== LOCK_WAIT_TIMEOUT) {
        throw error;
      }
    }
  }
}

/**
 * Leaves the server few connections, and ends those that use a database: those of the server itself, and of the group it
 * belongs to, use none.
 */
export const fullServer = setting('full-server', 'the server has few connections left', async (admin) => {
  const [{ most }] = (await admin.query('SELECT @@max_connections AS most')) as [{ most: number | string }];
  return {
    worsen: async () => {
      await admin.query(`SET GLOBAL max_connections = ${FEW_CONNECTIONS}`);
      await endConnections(admin);
    },
    restore: () => admin.query(`SET GLOBAL max_connections = ${Number(most)}`),
  };
});

async function endConnections(admin: DataSource): Promise<void> {
  const rows = (await admin.query(
    'SELECT id AS id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND db IS NOT NULL',
  )) as { readonly id: number | string }[];
  for (const { id } of rows) {
    // It may have ended by itself.
    await admin.query(`KILL ${Number(id)}`).catch(() => undefined);
  }
}

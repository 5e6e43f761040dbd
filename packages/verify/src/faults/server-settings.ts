import { DataSource } from 'typeorm';

import type { Random } from '../random.js';
import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';
import { oneAtATime } from './one-at-a-time.js';
import type { Scene } from './scene.js';

/** How long a setting stays, in ms. */
const LASTS = { least: 500, most: 3_000 } as const;
/** Fewer connections than a bench has. No server takes less. */
const FEW_CONNECTIONS = 10;

/** Changes the server for the worse, and returns what changes it back. */
type Change = (admin: DataSource, scene: Scene) => Promise<() => Promise<unknown>>;

function setting(name: string, detail: string, change: Change): Fault {
  return {
    name,
    needs: ['server', 'connection'],
    excuses: ['rerun', 'delay'],
    async strike(scene: Scene, random: Random, signal: AbortSignal) {
      const length = random.whole(LASTS.least, LASTS.most);
      await oneAtATime(scene.server!, async () => {
        if (signal.aborted) {
          return;
        }
        const type = scene.database === 'mysql' ? 'mysql' : 'mariadb';
        const admin = await new DataSource({ type, url: scene.server!.adminUrl, poolSize: 1 }).initialize();
        const open = scene.record('everyone', `${detail} for ${length} ms`);
        try {
          const changeBack = await change(admin, scene);
          await sleepUnlessEnded(length, signal);
          await changeBack();
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
export const readOnlyServer = setting('read-only-server', 'the server is read-only', async (admin, { database }) => {
  await admin.query(`SET GLOBAL ${database === 'mysql' ? 'super_read_only' : 'read_only'} = 1`);
  return () => admin.query('SET GLOBAL read_only = 0');
});

/**
 * Leaves the server few connections, and ends those that use a database: those of the server itself, and of the group it
 * belongs to, use none.
 */
export const fullServer = setting('full-server', 'the server has few connections left', async (admin) => {
  const [{ most }] = (await admin.query('SELECT @@max_connections AS most')) as [{ most: number | string }];
  await admin.query(`SET GLOBAL max_connections = ${FEW_CONNECTIONS}`);
  const rows = (await admin.query(
    'SELECT id AS id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND db IS NOT NULL',
  )) as { readonly id: number | string }[];
  for (const { id } of rows) {
    // It may have ended by itself.
    await admin.query(`KILL ${Number(id)}`).catch(() => undefined);
  }
  return () => admin.query(`SET GLOBAL max_connections = ${Number(most)}`);
});

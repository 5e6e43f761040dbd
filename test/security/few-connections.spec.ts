import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DatabaseUnavailableError, defineJob, jobHandler } from '@tablequeue/typeorm';
import mysql from 'mysql2/promise';

import { ownServer } from '../servers/obtain-server.js';
import type { Server, ServerEngine } from '../servers/server.js';
import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

const count = defineJob<number>('count');

describeEach(
  'an account with max_user_connections = 8',
  (engine) => {
    let server: Server;
    let admin: mysql.Connection;
    let bench: Workbench;
    let url: string;
    beforeAll(async () => {
      server = await ownServer(engine as ServerEngine, 'tests');
      admin = await mysql.createConnection(server.url);
      const database = await createDatabase(engine, server.url);
      await admin.query("CREATE USER app@'%' IDENTIFIED BY 'secret' WITH MAX_USER_CONNECTIONS 8");
      await admin.query("GRANT ALL ON *.* TO app@'%'");
      url = Object.assign(new URL(database.url), { username: 'app', password: 'secret' }).href;
      bench = Workbench.on(database, await database.connect({ url, poolSize: 4 }));
    });
    afterAll(async () => {
      await bench.close();
      await admin.end();
      await server.stop();
    });

    test('two workers run all jobs and schedules, and the errors show which limit to raise', async () => {
      const { queue } = bench;
      const seen: number[] = [];
      const handlers = [jobHandler(count, (index) => void seen.push(index))];
      const options = { maintenance: {}, concurrency: 10 };
      await bench.work(handlers, options);
      // All connections of the account are in use.
      const held = await connectionsUntilRefused(url);
      const starting = bench.work(handlers, options);
      await expect(starting).rejects.toThrow(DatabaseUnavailableError);
      await expect(starting).rejects.toThrow(/max_user_connections.*Raise max_connections or max_user_connections/s);
      await Promise.all(held.map((connection) => connection.end()));
      await admin.query("ALTER USER app@'%' WITH MAX_USER_CONNECTIONS 20");
      await bench.work(handlers, options);
      await queue.recurring.set('often', count, -1, { every: '1s' });
      await queue.enqueueMany(
        count,
        Array.from({ length: 200 }, (_, payload) => ({ payload })),
      );
      await waitFor('all jobs and a schedule have run', () => new Set(seen).size === 201);
      for (const line of bench.logger.lines) {
        expect(line).toMatch(/Raise max_connections or max_user_connections/);
      }
      expect(await queue.health()).toMatchObject({ database: 'up', problems: [] });
    });
  },
  ['mariadb', 'mysql'],
);

async function connectionsUntilRefused(url: string): Promise<mysql.Connection[]> {
  const connections: mysql.Connection[] = [];
  for (;;) {
    try {
      connections.push(await mysql.createConnection(url));
    } catch {
      return connections;
    }
  }
}

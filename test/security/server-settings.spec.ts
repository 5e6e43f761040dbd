import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  DatabaseUnavailableError,
  TableQueue,
  TableQueueWorker,
  UnsupportedSessionError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import mysql from 'mysql2/promise';

import { ownServer } from '../servers/obtain-server.js';
import type { Server, ServerEngine } from '../servers/server.js';
import { createDatabase } from '../support/database.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { sessionsOf } from '../support/sessions.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

const count = defineJob<number>('count');
const echo = defineJob<string>('echo');
/** Letters of two to four bytes. */
const TEXT = 'ß木😀';

describeEach(
  'a server of its own:',
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
      // Without SUPER: the server runs `init_connect` for it.
      await admin.query("CREATE USER plain@'%' IDENTIFIED BY 'secret'");
      await admin.query(`GRANT ALL ON ${new URL(database.url).pathname.slice(1)}.* TO plain@'%'`);
      url = Object.assign(new URL(database.url), { username: 'app', password: 'secret' }).href;
      bench = Workbench.on(database, await database.connect({ url, poolSize: 4 }));
    });
    afterAll(async () => {
      await bench.close();
      await admin.end();
      await server.stop();
    });

    afterEach(async () => {
      await admin.query("SET GLOBAL init_connect = ''");
      await admin.query('UNLOCK TABLES');
      await bench.reset();
    });

    test('max_user_connections = 8: two workers run all, and the errors show which limit to raise', async () => {
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

    test.each([
      ['latin1', 'latin1'],
      ['utf8', 'utf8mb3'],
    ])('init_connect = SET NAMES %s: a queue refuses its connections, and a worker works', async (names, found) => {
      const connectWith = async (charset: string) => {
        await admin.query(`SET GLOBAL init_connect = 'SET NAMES ${charset}'`);
        return bench.database.connect({ url: url.replace('app:', 'plain:'), poolSize: 1 });
      };
      const able = new TableQueue(await connectWith('utf8mb4'));
      const queue = new TableQueue(await connectWith(names));
      const worker = new TableQueueWorker(queue, [jobHandler(echo, (text) => text)], {
        logger: bench.logger,
        pollInterval: '50ms',
      });
      await worker.start();
      expect(await queue.lock(TEXT).withLock(() => 'held')).toBe('held');
      const unique = { key: TEXT };
      const { id } = await able.enqueue(echo, TEXT, { unique, delay: '1h' });
      expect(await able.enqueue(echo, TEXT, { unique })).toMatchObject({ id, created: false });
      const another = await able.enqueue(echo, TEXT, { key: TEXT });
      expect(await able.waitFor(another.id)).toBe(TEXT);
      expect(await able.findByKey(TEXT)).toMatchObject([{ payload: TEXT, result: TEXT }]);

      const calls = [
        () => queue.enqueue(echo, TEXT),
        () => queue.enqueue(echo, TEXT, { unique }),
        () => queue.dataSource.transaction((manager) => queue.enqueue(echo, TEXT, { manager, key: TEXT })),
        () => queue.findByKey(TEXT),
        () => queue.waitFor(id),
      ];
      for (const call of calls) {
        const refusal = call();
        await expect(refusal).rejects.toThrow(UnsupportedSessionError);
        await expect(refusal).rejects.toThrow(`connection with the character set ${found}`);
      }
      expect(await bench.liveJobs()).toHaveLength(1);
      await worker.stop();
      expect(bench.logger.lines).toEqual([]);
      await Promise.all([able, queue].map(({ dataSource }) => dataSource.destroy()));
    });

    /** Runs a statement with bytes that are no text: MySQL can then fill no view of sessions and transactions. */
    async function sendBytes(connection: mysql.Connection): Promise<void> {
      connection.execute('SELECT SLEEP(60), ?', [Buffer.from([0xa2, 0x1b, 0xb9])]).catch(() => undefined);
      await waitFor('it runs', async () => {
        return (await sessionsOf(bench.dataSource)).some(({ Info }) => Info?.startsWith('SELECT SLEEP'));
      });
    }

    test('beside a statement with bytes that are no text, health and doctor report what is visible', async () => {
      const neighbor = await mysql.createConnection(url);
      await neighbor.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
      await sendBytes(neighbor);
      const visible = engine === 'mysql' ? 'unknown' : expect.any(Number);
      expect(await bench.queue.health({ maxTransactionAge: '1h' })).toMatchObject({
        isHealthy: true,
        oldestTransaction: visible,
      });
      const { by } = await doctor(url);
      expect(by['open-transactions']).toMatchObject({ status: engine === 'mysql' ? 'unknown' : 'ok' });
      neighbor.destroy();
    });

    test('a COMMIT that waits for FLUSH TABLES WITH READ LOCK is given up in the server too', async () => {
      const neighbor = await mysql.createConnection(url);
      await sendBytes(neighbor);
      const { engine: application } = bench.queue;
      let session = NaN;
      const end = await application.dedicated(1_000).transact(async ({ manager }) => {
        await manager.insert(Note, { id: 1, text: 'lost' });
        const [own] = await manager.query<{ id: number | string }[]>('SELECT CONNECTION_ID() AS id');
        session = Number(own!.id);
        expect((await sessionsOf(bench.dataSource)).map(({ Id }) => Number(Id))).toContain(session);
        await admin.query('FLUSH TABLES WITH READ LOCK');
        return true;
      });
      expect(end).toEqual({ unknown: expect.any(DatabaseUnavailableError) });
      await waitFor('the session has ended', async () => {
        return !(await sessionsOf(bench.dataSource)).some(({ Id }) => Number(Id) === session);
      });
      neighbor.destroy();
      expect(await bench.rows(Note)).toEqual([]);
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

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  TableQueue,
  TableQueueWorker,
  defineJob,
  jobHandler,
  tableQueueEntities,
  upTableQueue,
} from '@tablequeue/typeorm';
import mysql, { type Connection } from 'mysql2/promise';
import { DataSource } from 'typeorm';

import { ownServer } from '../servers/obtain-server.js';
import type { Server, ServerEngine } from '../servers/server.js';
import { DATABASE_TYPES } from '../support/connection-options.js';
import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { waitFor } from '../support/wait-for.js';

const SECRET = 'the secret of the payload';
/** How many jobs end while the server is away. */
const JOBS = 20;
const work = defineJob<string>('work', { queue: 'work' });
const hold = defineJob<string>('hold', { queue: 'hold' });

describeEach(
  'a server that is away for a while',
  (engine) => {
    let server: Server;
    let admin: Connection;
    let dataSource: DataSource;
    let queue: TableQueue;
    let worker: TableQueueWorker;
    let logger: RecordingLogger;
    let release: (() => void)[] = [];
    let runs: string[] = [];
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);

    beforeAll(async () => {
      process.on('unhandledRejection', note);
      server = await ownServer(engine as ServerEngine, 'kill');
      admin = await mysql.createConnection(server.url);
      // Not root, who may write to a server that is read-only, and connect to one that is full.
      await admin.query("CREATE USER shop@'%' IDENTIFIED BY 'shop'");
      await admin.query("GRANT ALL ON shop.* TO shop@'%'");
      await admin.query("CREATE USER crowd@'%' IDENTIFIED BY 'crowd'");
      await admin.query('CREATE DATABASE shop');
    });
    afterAll(async () => {
      admin.destroy();
      await server.stop();
      process.off('unhandledRejection', note);
    });

    beforeEach(async () => {
      const url = new URL(server.url);
      Object.assign(url, { username: 'shop', password: 'shop', pathname: '/shop' });
      const type = DATABASE_TYPES[engine] as 'mysql';
      dataSource = await new DataSource({ type, url: url.href, entities: tableQueueEntities(type) }).initialize();
      const queryRunner = dataSource.createQueryRunner();
      await upTableQueue(queryRunner);
      await queryRunner.release();
      await dataSource.query('DELETE FROM tq_job');
      queue = new TableQueue(dataSource);
      logger = new RecordingLogger();
      release = [];
      runs = [];
      worker = new TableQueueWorker(
        queue,
        [
          jobHandler(work, (payload) => void runs.push(payload)),
          jobHandler(hold, (payload) => {
            runs.push(payload);
            return new Promise<void>((resolve) => release.push(resolve));
          }),
        ],
        { logger, pollInterval: '50ms', queues: { hold: { concurrency: JOBS } }, lease: '60s' },
      );
      await worker.start();
    });
    afterEach(async () => {
      await worker.stop();
      await dataSource.destroy();
      expect(unhandled).toEqual([]);
    });

    const payloads = Array.from({ length: JOBS }, (_, index) => ({ payload: `${SECRET} ${index}` }));

    /** Jobs run when it goes away, end while it is, and one more is there afterwards: everything has run once. */
    async function expectToGetOver(away: () => Promise<void>, back: () => Promise<void>, lasts: number): Promise<void> {
      await queue.enqueueMany(hold, payloads);
      await waitFor('they run', () => release.length === JOBS);
      const loggedBefore = logger.lines.length;
      const since = performance.now();
      await away();
      release.forEach((end) => end());
      await waitFor('it has been away for long enough', () => performance.now() - since > lasts, lasts + 5_000);
      const lines = logger.lines.slice(loggedBefore);
      // One of each kind of failure, and the worker's warnings about its lease and its lock.
      expect(lines.length).toBeLessThan(10);
      await back();
      await waitFor('all outcomes are stored', async () => (await finished()) === JOBS, 60_000);
      const { id } = await queue.enqueue(work, SECRET);
      await waitFor('it works on', async () => (await queue.find(id))?.state === 'succeeded', 60_000);
      expect(runs.length).toBe(JOBS + 1);
      const all = logger.lines.slice(loggedBefore);
      expect(all.filter((line) => line.includes('works again')).length).toBeLessThan(4);
      expect(all.length).toBeLessThan(20);
      await waitFor('it holds its lease', () => worker.holdsLease);
      expect(logger.lines.join('\n')).not.toContain(SECRET);
      console.log(
        logger.lines
          .slice(loggedBefore + lines.length)
          .join('\n')
          .slice(0, 2000),
      );
    }

    const finished = async () => {
      const [row] = (await dataSource
        .query('SELECT COUNT(*) AS count FROM tq_job WHERE finished_at > 0')
        .catch(() => [{}])) as {
        count?: string;
      }[];
      return Number(row?.count);
    };

    test('killed, and started again at once: no commit is lost', async () => {
      const { id } = await queue.enqueue(work, SECRET, { delay: '1h' });
      await expectToGetOver(
        async () => {
          await server.control!.kill();
          await server.control!.start();
        },
        async () => {
          admin.destroy();
          admin = await mysql.createConnection(server.url);
        },
        0,
      );
      expect(await queue.find(id)).toMatchObject({ state: 'scheduled' });
      await queue.cancel(id);
    });

    test('killed, and started again after 12 s', async () => {
      await expectToGetOver(
        () => server.control!.kill(),
        async () => {
          await server.control!.start();
          admin.destroy();
          admin = await mysql.createConnection(server.url);
        },
        12_000,
      );
    });

    test('read-only', async () => {
      const variable = engine === 'mariadb' ? 'read_only' : 'super_read_only';
      await expectToGetOver(
        async () => void (await admin.query(`SET GLOBAL ${variable} = 1`)),
        async () => void (await admin.query('SET GLOBAL read_only = 0')),
        6_000,
      );
    });

    test('too many connections', async () => {
      const [[row]] = (await admin.query('SELECT @@max_connections AS count')) as unknown as [{ count: number }[]];
      const others: Connection[] = [];
      const url = new URL(server.url);
      Object.assign(url, { username: 'crowd', password: 'crowd' });
      const crowdIn = async () => {
        for (;;) {
          const other = await mysql.createConnection(url.href).catch(() => undefined);
          if (!other) {
            return;
          }
          other.on('error', () => undefined);
          others.push(other);
        }
      };
      await expectToGetOver(
        async () => {
          await admin.query('SET GLOBAL max_connections = 20');
          await waitFor('others have all of its connections', async () => {
            await crowdIn();
            const [rows] = await admin.query(
              "SELECT id AS id FROM information_schema.processlist WHERE user = 'shop' AND command <> 'Killed'",
            );
            const ids = (rows as { id: number }[]).map(({ id }) => id);
            await Promise.all(ids.map((id) => admin.query(`KILL ${id}`).catch(() => undefined)));
            return ids.length === 0;
          });
        },
        async () => {
          others.forEach((other) => other.destroy());
          await admin.query(`SET GLOBAL max_connections = ${row!.count}`);
        },
        6_000,
      );
    });
  },
  ['mariadb', 'mysql'],
);

import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueWorkerRow } from '@tablequeue/typeorm/internal';
import { verify } from '@tablequeue/verify';
import { serverIn } from '@tablequeue/verify/internal';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import type { DataSource } from 'typeorm';

import { makeCertificates } from '../servers/certificates.js';
import { ownServer } from '../servers/obtain-server.js';
import type { Server, ServerEngine } from '../servers/server.js';
import { runHere } from '../support/command-line.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';
import { withoutTls } from './without-tls.js';

const job = defineJob<string>('tls');
/** Below this package, so that modules in it find TypeORM. */
const FOLDERS = fileURLToPath(new URL('../dist/', import.meta.url));

describeEach(
  'a server that accepts only TLS',
  (engine) => {
    let server: Server;
    let folder: string;
    let database: TestDatabase;
    let admin: Connection;
    let ca: string;
    let otherCa: string;
    beforeAll(async () => {
      server = await ownServer(engine as ServerEngine, 'tls');
      ca = server.ca!;
      await mkdir(FOLDERS, { recursive: true });
      folder = await mkdtemp(join(FOLDERS, 'tls-'));
      await makeCertificates(folder);
      otherCa = await readFile(join(folder, 'ca.pem'), 'utf8');
      // By the name that the certificate has.
      database = await createDatabase(engine, server.url.replace('127.0.0.1', '127.1'));
      admin = await mysql.createConnection({ uri: server.url, ssl: { ca } });
      await admin.query('SET GLOBAL require_secure_transport = ON');
    });
    afterAll(async () => {
      await admin?.end();
      await rm(folder, { recursive: true, force: true });
      await server?.stop();
    });

    const trusting = (ssl: object = {}) => ({ ssl: { ca, verifyIdentity: true, ...ssl } });

    /** A module with a data source, for the command line. */
    async function fileWith(options: object): Promise<string> {
      const file = join(folder, `${randomUUID()}.mjs`);
      const { type, url } = database.options() as { readonly type: string; readonly url: string };
      const all = JSON.stringify({ type, url, ...options });
      await writeFile(file, `import { DataSource } from 'typeorm'; export const dataSource = new DataSource(${all});`);
      return file;
    }

    /** The sessions on the database but that of the admin. */
    async function sessions(): Promise<number[]> {
      const name = new URL(database.url).pathname.slice(1);
      const [rows] = await admin.query<RowDataPacket[]>('SHOW PROCESSLIST');
      return rows.filter(({ Id, db }) => db === name && Id !== admin.threadId).map(({ Id }) => Number(Id));
    }

    test('is used by the queue, the worker, its session for locks and a named lock, also after all were killed', async () => {
      const dataSource = await database.connect(trusting());
      const bench = Workbench.on(database, dataSource);
      const ran: string[] = [];
      const worker = await bench.work([jobHandler(job, (payload) => void ran.push(payload))]);
      const run = async (payload: string) => {
        const { id } = await bench.queue.enqueue(job, payload);
        await bench.queue.waitFor(id);
      };
      const holdsLock = async () => (await bench.rows(TableQueueWorkerRow))[0]?.lockName ?? undefined;
      await run('a');
      await waitFor('the worker holds its lock', holdsLock);
      const lock = bench.queue.lock('l');
      await lock.acquire();
      const before = await sessions();
      // The application's, the worker's, and two for locks.
      expect(before.length).toBeGreaterThanOrEqual(4);
      await lock.release();
      for (const id of before) {
        await admin.query(`KILL CONNECTION ${id}`).catch(() => undefined);
      }
      await waitFor('a job runs again', () =>
        run('b').then(
          () => true,
          () => false,
        ),
      );
      await waitFor('the worker holds a lock on another session', async () => {
        const name = await holdsLock();
        if (name === undefined) {
          return false;
        }
        const [[row]] = await admin.query<RowDataPacket[]>('SELECT IS_USED_LOCK(?) AS id', [name]);
        return row?.id != null && !before.includes(Number(row.id));
      });
      expect(ran).toEqual(expect.arrayContaining(['a', 'b']));
      expect(worker.holdsLease).toBe(true);
      await bench.stopWorkers();
      await dataSource.destroy();
    });

    test('is used by the command line', async () => {
      const file = await fileWith(trusting());
      expect(await runHere(['stats', '--json', '--data-source', file])).toMatchObject({ code: 0, err: '' });
      const doctor = await runHere(['doctor', '--json', '--data-source', file]);
      expect(doctor).toMatchObject({ err: '', out: expect.stringContaining('"check": "claim-plan"') });
    });

    test('is used by verify, with its processes and its proxy, whose name is another', async () => {
      const { type, url } = database.options() as { readonly type: 'mysql'; readonly url: string };
      expect(serverIn({ type, url, ...trusting() })).toBeUndefined();
      const { jobs } = await verify({
        dataSourceOptions: { type, url, ...trusting({ verifyIdentity: false }) },
        faults: ['cut-connections'],
        durationMs: 1_000,
        workers: 2,
        producers: 1,
      });
      expect(jobs.enqueued).toBeGreaterThan(0);
    });

    test.each([
      ['signed by another CA', () => ({ ssl: { ca: otherCa } }), /self-signed certificate|unable to/],
      ['without a known CA', () => ({ ssl: {} }), /self-signed certificate|unable to/],
      ['of another name', () => ({ ...trusting(), url: database.url.replace('127.1', 'localhost') }), /altnames/],
    ])('a certificate %s is refused', async (_what, options, reason) => {
      await expect(database.connect(options())).rejects.toThrow(reason);
      const { code, out, err } = await runHere(['stats', '--data-source', await fileWith(options())]);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/Cannot connect to .*: /);
      expect(err).toMatch(reason);
    });

    test('a client without TLS is refused, with a remedy', async () => {
      await expect(database.connect()).rejects.toThrow(/insecure transport|Access denied/);
      const url = engine === 'mariadb' ? database.url.replace('mysql:', 'mariadb:') : database.url;
      const { code, err } = await runHere(['stats', '--url', url]);
      expect(code).toBe(1);
      expect(err).toMatch(/insecure transport|Access denied/);
      expect(err).toContain('--data-source');
    });

    test('nothing falls back to plain where a proxy in between pretends that the server does not support TLS', async () => {
      const between = await withoutTls(new URL(server.url));
      const url = database.url.replace(new URL(database.url).host, between.host);
      try {
        let dataSource: DataSource | undefined;
        await expect(
          database.connect({ ...trusting(), url }).then((connected) => (dataSource = connected)),
        ).rejects.toThrow(/secure connection/);
        expect(dataSource).toBeUndefined();
        const stats = await runHere(['stats', '--data-source', await fileWith({ ...trusting(), url })]);
        expect(stats).toMatchObject({ code: 1, err: expect.stringMatching(/secure connection/) });
        expect(between.sentByClients()).toBe(0);
      } finally {
        await between.close();
      }
    });
  },
  ['mariadb', 'mysql'],
);

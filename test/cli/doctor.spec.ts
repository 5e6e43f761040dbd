import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tableQueueEntities, upTableQueue } from '@tablequeue/typeorm';
import { type Finding, examineDatabase } from '@tablequeue/typeorm/doctor';
import mysql from 'mysql2/promise';
import { DataSource } from 'typeorm';

import { obtainServer } from '../servers/obtain-server.js';
import type { Server } from '../servers/server.js';
import { commandUrl, runHere, tablequeue } from '../support/command-line.js';
import { DATABASE_TYPES } from '../support/connection-options.js';
import { type TestDatabase, createDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach, describeOnOlderToo } from '../support/each-engine.js';

interface Report {
  readonly database: string;
  readonly findings: readonly Finding[];
  readonly counts: Record<Finding['status'], number>;
}

async function doctor(url: string, ...args: string[]) {
  const { code, out, err } = await runHere(['doctor', '--json', '--url', url, ...args]);
  expect(err).toBe('');
  const report = JSON.parse(out) as Report;
  return { code, report, by: Object.fromEntries(report.findings.map((finding) => [finding.check, finding])) };
}

describeOnOlderToo('the doctor', (engine) => {
  let database: TestDatabase;
  let url: string;
  beforeAll(async () => {
    database = await createDatabase(engine);
    url = commandUrl(database);
  });
  afterAll(() => database.drop());

  test('finds no problem where there is none', async () => {
    const { code, report } = await doctor(url);
    expect(report.findings.filter(({ status }) => status === 'problem' || status === 'unknown')).toEqual([]);
    expect(code).toBe(0);
    expect(report.findings).toHaveLength(engine === 'sqlite' ? 6 : 19);
    const { ok, warning } = report.counts;
    expect(ok + warning).toBe(report.findings.length);
    // The servers of the tests do not flush every commit; MySQL 5.6 lacks SKIP LOCKED, and has the settings of its time.
    const known = [
      'durability',
      ...(engine === 'mysql56' ? ['version', 'sql-mode', 'claim-strategy', 'packet-size'] : []),
    ];
    expect(known).toEqual(
      expect.arrayContaining(report.findings.filter(({ status }) => status === 'warning').map(({ check }) => check)),
    );
  });

  test('misses the tables', async () => {
    const empty = await createEmptyDatabase(engine);
    await (await empty.connect({ entities: [] })).query('CREATE TABLE other (id INTEGER)');
    const { code, by } = await doctor(commandUrl(empty));
    expect(code).toBe(1);
    expect(by.tables).toMatchObject({
      status: 'problem',
      found: 'none is there',
      change: [expect.stringContaining('npx tablequeue migrate')],
    });
    await empty.drop();
  });

  test('misses the index of the claim', async () => {
    const broken = await createEmptyDatabase(engine);
    const dataSource = await broken.connect();
    const queryRunner = dataSource.createQueryRunner();
    await upTableQueue(queryRunner);
    await queryRunner.query(engine === 'sqlite' ? 'DROP INDEX tq_job_lane' : 'DROP INDEX tq_job_lane ON tq_job');
    await queryRunner.release();
    const { code, by } = await doctor(commandUrl(broken));
    expect(code).toBe(1);
    expect(by['claim-plan']).toMatchObject({ status: 'problem' });
    expect(by.tables).toMatchObject({
      status: 'problem',
      change: [expect.stringMatching(/CREATE INDEX .tq_job_lane./)],
    });
    await dataSource.query(by.tables?.change[0] ?? '');
    expect((await doctor(commandUrl(broken))).by['claim-plan']).toMatchObject({ status: 'ok' });
    await broken.drop();
  });
});

describeEach(
  'the doctor on a server',
  (engine) => {
    let database: TestDatabase;
    let admin: mysql.Connection;
    const account = `doctor_${process.pid}`;
    beforeAll(async () => {
      database = await createDatabase(engine);
      admin = await mysql.createConnection(database.url);
    });
    afterAll(async () => {
      await admin.query(`DROP USER IF EXISTS ${account}@'%'`);
      await admin.end();
      await database.drop();
    });

    test('tells the privileges that an account lacks, and what to grant', async () => {
      const name = new URL(database.url).pathname.slice(1);
      await admin.query(`CREATE USER ${account}@'%' IDENTIFIED BY 'word'`);
      await admin.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${name}.* TO ${account}@'%'`);
      const url = new URL(commandUrl(database));
      url.username = account;
      url.password = 'word';
      const { code, by } = await doctor(url.href);
      expect(code).toBe(0);
      expect(by.privileges?.status).toBe('ok');
      expect(by['open-transactions']).toMatchObject({
        status: 'unknown',
        change: [expect.stringContaining('GRANT PROCESS'), expect.anything()],
      });

      await admin.query(`REVOKE UPDATE, DELETE ON ${name}.* FROM ${account}@'%'`);
      await admin.query(`GRANT UPDATE, DELETE ON ${name}.tq_job TO ${account}@'%'`);
      const denied = await doctor(url.href);
      expect(denied.code).toBe(1);
      expect(denied.by['worker-session']).toMatchObject({ status: 'problem', found: expect.stringMatching(/denied/i) });
      expect(denied.by.privileges).toMatchObject({
        status: 'problem',
        found: expect.stringMatching(/lacks UPDATE, DELETE on (?!.*tq_job)/),
      });
      for (const statement of denied.by.privileges?.change ?? []) {
        await admin.query(statement);
      }
      expect((await doctor(url.href)).by.privileges?.status).toBe('ok');
    });

    test('sees a transaction that stays open', async () => {
      const holder = await mysql.createConnection(database.url);
      await holder.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
      await holder.query('SELECT COUNT(*) FROM tq_job');
      const found = (await doctor(commandUrl(database), '--max-transaction-age', '0')).by['open-transactions'];
      expect(found?.status).toBe('warning');
      expect(found?.found).toMatch(/the oldest is open for \d s, thread \d+/);
      expect(found?.change[0]).toMatch(/^KILL \d+;/);
      await admin.query(found?.change[0] ?? '');
      await holder.end().catch(() => undefined);
      const { by } = await doctor(commandUrl(database));
      expect(by['open-transactions']?.status).toBe('ok');
    });

    test('sees that the clocks differ', async () => {
      const hourAhead = 'const now = Date.now; Date.now = () => now() + 3_600_000;';
      const args = ['doctor', '--json', '--url', commandUrl(database)];
      const { code, out } = await tablequeue(args, { before: hourAhead });
      expect(code).toBe(1);
      const { findings } = JSON.parse(out) as Report;
      expect(findings.find(({ check }) => check === 'clock-drift')).toMatchObject({
        status: 'problem',
        found: expect.stringMatching(/this machine is 3(599|600)\d{3} ms ahead of the server/),
      });
    });

    test('compares the tables right where MariaDB is called mysql, and beside tables of the application', async () => {
      const dataSource = await new DataSource({
        type: 'mysql',
        url: database.url,
        entities: tableQueueEntities('mysql'),
      }).initialize();
      const findings = await examineDatabase(dataSource);
      await dataSource.destroy();
      expect(findings.find(({ check }) => check === 'tables')?.status).toBe('ok');
      await expect(examineDatabase(dataSource)).rejects.toThrow('is not initialised');
      await expect(examineDatabase(dataSource, { maxPayload: 1 } as never)).rejects.toThrow('maxPayload');
    });
  },
  ['mariadb', 'mysql'],
);

describeEach(
  'the doctor on a server that is set up badly',
  (engine) => {
    let server: Server;
    let dataSource: DataSource;
    let url: string;
    beforeAll(async () => {
      const obtained = await obtainServer(engine as 'mysql', () => undefined, 'sick');
      if (!('url' in obtained)) {
        throw new Error(obtained.reason);
      }
      server = obtained;
      const admin = await mysql.createConnection(server.url);
      await admin.query('CREATE DATABASE shop');
      await admin.end();
      const type = DATABASE_TYPES[engine] as 'mysql';
      url = `${server.url}/shop`;
      dataSource = await new DataSource({ type, url, entities: tableQueueEntities(type) }).initialize();
      const queryRunner = dataSource.createQueryRunner();
      await upTableQueue(queryRunner);
      await queryRunner.release();
    });
    afterAll(async () => {
      await dataSource.destroy();
      await server.stop();
    });

    test('complains of all of it', async () => {
      const holder = await mysql.createConnection(url);
      await holder.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
      await holder.query('SELECT COUNT(*) FROM tq_job');
      const { code, by } = await doctor(url, '--max-transaction-age', '0');
      // The server keeps the start in its own zone, which is not that of the session.
      expect(by['open-transactions']?.found).toMatch(/open for \d s,/);
      await holder.end();
      expect(code).toBe(1);
      const statusOf = Object.fromEntries(Object.entries(by).map(([check, { status }]) => [check, status]));
      expect(statusOf).toEqual({
        version: 'ok',
        cluster: 'ok',
        tables: 'ok',
        privileges: 'ok',
        'worker-session': 'problem',
        isolation: 'warning',
        'binlog-format': 'problem',
        'sql-mode': 'warning',
        'claim-strategy': 'ok',
        'claim-plan': 'ok',
        'packet-size': 'problem',
        connections: 'ok',
        'lock-waits': 'warning',
        durability: 'warning',
        'open-transactions': 'warning',
        'history-length': 'ok',
        'clock-drift': 'ok',
        'time-zone': 'warning',
        'table-sizes': 'ok',
      });
      expect(by['worker-session']?.found).toMatch(/READ COMMITTED|READ-COMMITTED|binlog/i);
      expect(by['packet-size']?.found).toBe('max_allowed_packet = 1 MiB, largest payload 1 MiB');
      expect(by.durability?.change).toEqual([
        'SET GLOBAL innodb_flush_log_at_trx_commit = 1;',
        'SET GLOBAL sync_binlog = 1;',
      ]);
    });

    test('is content when its advice was taken', async () => {
      const { by } = await doctor(url);
      for (const { change } of Object.values(by)) {
        for (const statement of change.filter((step) => step.startsWith('SET GLOBAL'))) {
          await dataSource.query(statement);
        }
      }
      const { code, report } = await doctor(url);
      expect(report.findings.filter(({ status }) => status !== 'ok')).toEqual([]);
      expect(code).toBe(0);
    });

    test('sees that the server is read-only, and that its escapes are switched off', async () => {
      await dataSource.query("SET GLOBAL read_only = ON, GLOBAL sql_mode = 'STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES'");
      const { by } = await doctor(url);
      expect(by.cluster).toMatchObject({ status: 'problem', found: expect.stringContaining('read-only') });
      expect(by['sql-mode']).toMatchObject({ status: 'problem', found: 'sql_mode has NO_BACKSLASH_ESCAPES' });
    });
  },
  ['mariadb', 'mysql'],
);

describe('the report of the doctor', () => {
  test('is text for people', async () => {
    const database = await createDatabase('sqlite');
    const { out, code } = await runHere(['doctor', '--url', commandUrl(database)]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {7}claim-plan {2}along tq_job_lane, in its order$/m);
    expect(out).toMatch(/^6 ok, 0 warnings, 0 problems, 0 unknown$/m);
    await database.drop();
  });
});

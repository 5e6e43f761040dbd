import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tableQueueEntities, upTableQueue } from '@tablequeue/typeorm';
import { examineDatabase } from '@tablequeue/typeorm/doctor';
import mysql from 'mysql2/promise';
import { DataSource } from 'typeorm';

import { commandUrl, runHere, tablequeue } from '../support/command-line.js';
import { createDatabase, createEmptyDatabase } from '../support/database.js';
import { type DoctorReport, doctor } from '../support/doctor.js';
import { describeEach, describeOnOlderToo } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

describeOnOlderToo('the doctor', (engine) => {
  let url: string;
  const database = useDatabase(engine);
  beforeAll(async () => {
    url = commandUrl(database);
  });

  test('finds no problem where there is none', async () => {
    const { code, report } = await doctor(url);
    expect(report.findings.filter(({ status }) => status === 'problem' || status === 'unknown')).toEqual([]);
    expect(code).toBe(0);
    expect(report.findings).toHaveLength(engine === 'sqlite' ? 6 : 20);
    const { ok, warning } = report.counts;
    expect(ok + warning).toBe(report.findings.length);
    // The servers of the tests do not flush every commit; MySQL 5.6 lacks SKIP LOCKED, and has the settings of its
    // time.
    const known = [
      'durability',
      ...(engine === 'mysql56' ? ['version', 'sql-mode', 'claim-strategy', 'packet-size'] : []),
    ];
    expect(known).toEqual(
      expect.arrayContaining(report.findings.filter(({ status }) => status === 'warning').map(({ check }) => check)),
    );
  });

  test('reports missing tables', async () => {
    const empty = await createEmptyDatabase(engine);
    await (await empty.connect({ entities: [] })).query('CREATE TABLE other (id INTEGER)');
    const { code, by } = await doctor(commandUrl(empty));
    expect(code).toBe(1);
    expect(by.tables).toMatchObject({
      status: 'problem',
      found: 'no table of the queue exists',
      change: [
        `Run npx tablequeue migrate --url ${commandUrl(empty)}, or call upTableQueue in a migration of your own.`,
      ],
    });
    if (engine === 'sqlite') {
      const unexamined = { status: 'unknown', found: 'not examined: the tables are missing' };
      expect([by.writes, by['claim-plan']]).toMatchObject([unexamined, unexamined]);
    }
    await empty.drop();
  });

  test('reports a missing index of the claim', async () => {
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
    let admin: mysql.Connection;
    const account = `doctor_${process.pid}`;
    afterAll(async () => {
      await admin.query(`DROP USER IF EXISTS ${account}@'%'`);
      await admin.end();
    });
    const database = useDatabase(engine);
    beforeAll(async () => {
      admin = await mysql.createConnection(database.url);
    });

    test('reports the privileges that an account lacks, and what to grant', async () => {
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

    // Other tests have transactions on this server too.
    const transactions = async () => {
      const found = (await doctor(commandUrl(database), '--max-transaction-age', '0')).by['open-transactions'];
      return { ...found, thread: Number(/thread (\d+)/.exec(found?.found ?? '')?.[1]) };
    };

    test('reports a transaction that stays open', async () => {
      const holder = await mysql.createConnection(database.url);
      await holder.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
      await holder.query('SELECT COUNT(*) FROM tq_job');
      const seen = await waitFor('it is the oldest', async () => {
        const oldest = await transactions();
        return oldest.thread === holder.threadId && oldest;
      });
      expect(seen.status).toBe('warning');
      expect(seen.found).toMatch(/the oldest is open for \d+ s, thread \d+/);
      expect(seen.change?.[0]).toMatch(/^KILL \d+;/);
      await admin.query(seen.change?.[0] ?? '');
      await holder.end().catch(() => undefined);
      // KILL only marks it.
      await waitFor('it has gone', async () => (await transactions()).thread !== holder.threadId);
    });

    test('ignores a transaction that does not block the purge', async () => {
      const holder = await mysql.createConnection(database.url);
      await holder.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await holder.query('START TRANSACTION');
      await holder.query('SELECT COUNT(*) FROM tq_job');
      const later = await mysql.createConnection(database.url);
      await later.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
      await later.query('SELECT COUNT(*) FROM tq_job');
      await waitFor('a later one is the oldest', async () => (await transactions()).thread === later.threadId);
      await Promise.all([holder.end(), later.end()]);
    });

    test('reports clocks that differ', async () => {
      const hourAhead = 'const now = Date.now; Date.now = () => now() + 3_600_000;';
      const args = ['doctor', '--json', '--url', commandUrl(database)];
      const { code, out } = await tablequeue(args, { before: hourAhead });
      expect(code).toBe(1);
      const { findings } = JSON.parse(out) as DoctorReport;
      expect(findings.find(({ check }) => check === 'clock-drift')).toMatchObject({
        status: 'problem',
        found: expect.stringMatching(/this machine is 3(599|600)\d{3} ms ahead of the server/),
      });
    });

    test('compares the tables correctly with the type mysql on MariaDB, and next to tables of the application', async () => {
      const dataSource = await new DataSource({
        type: 'mysql',
        url: database.url,
        entities: tableQueueEntities('mysql'),
      }).initialize();
      const findings = await examineDatabase(dataSource);
      await dataSource.destroy();
      expect(findings.find(({ check }) => check === 'tables')?.status).toBe('ok');
      await expect(examineDatabase(dataSource)).rejects.toThrow('is not initialized');
      await expect(examineDatabase(dataSource, { maxPayload: 1 } as never)).rejects.toThrow('maxPayload');
    });

    test('works with a pool of one connection, also twice at the same time', async () => {
      const dataSource = await database.connect({ poolSize: 1 });
      const [first, second] = await Promise.all([examineDatabase(dataSource), examineDatabase(dataSource)]);
      expect(first.filter(({ status }) => status === 'problem' || status === 'unknown')).toEqual([]);
      expect(second.map(({ check }) => check)).toEqual(first.map(({ check }) => check));
    });
  },
  ['mariadb', 'mysql'],
);

describe('the report of the doctor', () => {
  test('prints readable text', async () => {
    const database = await createDatabase('sqlite');
    const { out, code } = await runHere(['doctor', '--url', commandUrl(database)]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {7}claim-plan {2}along tq_job_lane, in its order$/m);
    expect(out).toMatch(/^6 ok, 0 warnings, 0 problems, 0 unknown$/m);
    await database.drop();
  });
});

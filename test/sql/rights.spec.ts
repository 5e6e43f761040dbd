import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UnsupportedDatabaseError, createEnqueueProcedure, dropEnqueueProcedure } from '@tablequeue/typeorm';
import mysql from 'mysql2/promise';
import type { DataSource } from 'typeorm';

import { commandUrl } from '../support/command-line.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';
import { callProcedure, createProcedure, onSession } from '../support/sql-enqueue.js';
import { useWorkbench } from '../support/use-workbench.js';

const SERVERS = ['mariadb', 'mysql'] as const;
const GUIDE = fileURLToPath(new URL('../../docs/guides/enqueue-from-sql.md', import.meta.url));
const job = { queue: 'sql', name: 'sql.job', payload: '1' };
const CALL = "CALL tq_enqueue('sql', 'sql.job', '1', ?, @job_id)";
/** Uses every table. */
const OPTIONS = JSON.stringify({
  key: 'k',
  expiresIn: 5_000,
  unique: { key: 'u', period: 5_000, onConflict: 'throw' },
});

describeEach(
  'the creation of the procedure',
  (engine) => {
    const bench = useWorkbench(engine);
    const drop = () => onSession(bench.dataSource, (session) => dropEnqueueProcedure(session));

    test('can be repeated, keeps the mode of the session, and can be reverted', async () => {
      await onSession(bench.dataSource, async (session) => {
        await session.query("SET SESSION sql_mode = 'ANSI_QUOTES'");
        await createEnqueueProcedure(session);
        await createEnqueueProcedure(session, { maxPayloadBytes: 5 });
        expect(await session.query('SELECT @@SESSION.sql_mode AS mode')).toEqual([{ mode: 'ANSI_QUOTES' }]);
      });
      const large = callProcedure(bench.dataSource, { ...job, payload: '"abcd"' });
      await expect(large).rejects.toThrow('payload of 6 bytes: at most 5');
      await drop();
      await drop();
      await expect(callProcedure(bench.dataSource, job)).rejects.toThrow(/does not exist/);
      await createProcedure(bench.dataSource);
    });

    test('refuses options that it does not know', async () => {
      await onSession(bench.dataSource, async (session) => {
        await expect(createEnqueueProcedure(session, { maxPayloadBytes: 0 })).rejects.toThrow('maxPayloadBytes');
        await expect(createEnqueueProcedure(session, { max: 1 } as object)).rejects.toThrow('max');
      });
    });

    test('the doctor reports a procedure of another version', async () => {
      const url = commandUrl(bench.database);
      await drop();
      const absent = await doctor(url);
      expect(absent.by['enqueue-procedure']).toMatchObject({
        status: 'ok',
        found: expect.stringContaining('does not exist'),
      });
      await createProcedure(bench.dataSource);
      expect((await doctor(url)).by['enqueue-procedure']).toMatchObject({
        status: 'ok',
        found: 'tq_enqueue has the version of this release',
      });
      await bench.dataSource.query("ALTER PROCEDURE tq_enqueue COMMENT 'Tablequeue procedure 0'");
      expect((await doctor(url)).by['enqueue-procedure']).toMatchObject({
        status: 'problem',
        found: 'tq_enqueue is of another version: "Tablequeue procedure 0"',
        change: [expect.stringContaining('createEnqueueProcedure')],
      });
    });
  },
  SERVERS,
);

describeEach(
  'the privileges of the procedure',
  (engine) => {
    const names = { definer: `tq_d${process.pid}`, caller: `tq_c${process.pid}` };
    // Before the database is closed.
    afterAll(async () => {
      for (const name of Object.values(names)) {
        await bench.dataSource.query(`DROP USER '${name}'@'%'`);
      }
    });
    const bench = useWorkbench(engine);
    let definer: DataSource;

    beforeAll(async () => {
      for (const name of Object.values(names)) {
        await bench.dataSource.query(`CREATE USER '${name}'@'%' IDENTIFIED BY 'pass'`);
      }
      await grant('definer');
      definer = await bench.database.connect({ url: urlOf('definer').href });
    });
    function urlOf(name: keyof typeof names): URL {
      const url = new URL(bench.database.url);
      url.username = names[name];
      url.password = 'pass';
      return url;
    }

    const schema = () => new URL(bench.database.url).pathname.slice(1);

    /** Grants what the guide grants. */
    async function grant(to: keyof typeof names): Promise<void> {
      const grants = [...readFileSync(GUIDE, 'utf8').matchAll(/^GRANT (.+) ON (.*)shop\.(\S+) TO (\w+);$/gm)];
      expect(grants).toHaveLength(7);
      for (const [, privileges, kind, object, account] of grants.filter((match) => match[4] === to)) {
        await bench.dataSource.query(
          `GRANT ${privileges} ON ${kind}\`${schema()}\`.${object} TO '${names[account as keyof typeof names]}'@'%'`,
        );
      }
    }

    test('the privileges of the guide are enough', async () => {
      await createProcedure(definer);
      await grant('caller');
      const caller = await mysql.createConnection(urlOf('caller').href);
      await caller.query(CALL, [OPTIONS]);
      await expect(caller.query(CALL, [OPTIONS])).rejects.toThrow("unique key 'u' of sql.job is held by job");
      await expect(caller.query("INSERT INTO tq_key VALUES ('k', 'x')")).rejects.toThrow(/denied/);
      expect(await bench.liveJobs()).toHaveLength(1);
      await createProcedure(definer);
      const again: unknown = await caller.query(CALL, ['{}']).catch((error: unknown) => String(error));
      expect(String(again).includes('execute command denied')).toBe(engine === 'mysql');
      await caller.end();
    });

    test('an account that may not create procedures gets the privileges to grant', async () => {
      await bench.dataSource.query(
        `REVOKE CREATE ROUTINE, ALTER ROUTINE ON \`${schema()}\`.* FROM '${names.definer}'@'%'`,
      );
      await bench.dataSource.query('DROP PROCEDURE IF EXISTS tq_enqueue');
      // A connection keeps the privileges on its database.
      const anew = await bench.database.connect({ url: urlOf('definer').href });
      await expect(createProcedure(anew)).rejects.toMatchObject({
        name: 'MissingPrivilegeError',
        privilege: `CREATE ROUTINE, ALTER ROUTINE ON ${schema()}.*`,
      });
    });
  },
  SERVERS,
);

describeEach(
  'databases without the procedure',
  (engine) => {
    const bench = useWorkbench(engine);

    test('are refused by name', async () => {
      for (const create of [createEnqueueProcedure, dropEnqueueProcedure]) {
        const error: unknown = await onSession(bench.dataSource, (session) =>
          create(session).catch((reason: unknown) => reason),
        );
        expect(error).toBeInstanceOf(UnsupportedDatabaseError);
        const found =
          engine === 'sqlite' ? /SQLite has no stored procedures/ : /MySQL 5\.6\.\d+.* JSON functions of MySQL 5\.7\.8/;
        expect((error as Error).message).toMatch(found);
      }
    });
  },
  ['sqlite', 'mysql56'],
);

import { readFile } from 'node:fs/promises';

import { beforeAll, expect, test } from '@jest/globals';
import {
  MissingPrivilegeError,
  TableQueue,
  TableQueueWorker,
  defineJob,
  downTableQueue,
  jobHandler,
  upTableQueue,
} from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { type TestDatabase, createDatabase, createEmptyDatabase } from '../support/database.js';
import { describeAtOnce, describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';
import { Account, type TablePrivilege } from './account.js';
import { workWithAlerts } from './alert-works.js';
import { actByHandOnKeys, administer, view } from './dashboard-works.js';
import { operateInBulk, workInBulk } from './bulk-works.js';
import { replaceDurably, workDurably } from './durable-works.js';
import { operateEvents, workOnEvents } from './event-works.js';
import { expire, produceExpiring, produceExpiringUnique, produceLimited } from './limited-works.js';
import { deleteLogged, workWithLogs } from './logged-works.js';
import { type RoleWork, operate, produce, produceAll, produceInOrder, work } from './role-works.js';

/** A privilege as docs/operate/security.md grants it. */
interface Granted extends TablePrivilege {
  /** The rare operations to which its text limits it; undefined for none. */
  readonly only: string | undefined;
}

const document = await readFile(new URL('../../docs/operate/security.md', import.meta.url), 'utf8');

function grantsTo(role: string): Granted[] {
  return [...document.matchAll(/^GRANT (.+) ON shop\.(\S+) TO (\w+);( --.*)?$/gm)]
    .filter(([, , , to]) => to === role)
    .flatMap(([, privileges = '', table = '', , remark]) =>
      privileges.split(', ').map((privilege) => ({ privilege, table, only: remark })),
    );
}

const job = defineJob<string>('job');

interface Role {
  readonly name: string;
  readonly work: RoleWork;
  /** How many privileges it needs at least. */
  readonly least: number;
  /** Rare operations whose privileges it needs too; each of them is revoked, instead of the others. */
  readonly rare?: RegExp;
  /** Other rare operations whose privileges it needs as well. */
  readonly beside?: RegExp;
}

const ROLES: readonly Role[] = [
  { name: 'producer', work: produce, least: 3 },
  { name: 'producer', work: produceExpiring, least: 4, rare: /expiresIn/ },
  { name: 'producer', work: produceLimited, least: 4, rare: /maxLength/ },
  { name: 'unique_producer', work: produceInOrder, least: 9, rare: /jobs with an order/ },
  { name: 'unique_producer', work: produceExpiringUnique, least: 10, rare: /expiresIn/ },
  { name: 'unique_producer', work: replaceDurably, least: 10, rare: /durable jobs/ },
  { name: 'unique_producer', work: produceAll, least: 20 },
  { name: 'operator', work: operate, least: 24 },
  { name: 'operator', work: operateInBulk, least: 5, rare: /bulk operations/ },
  { name: 'operator', work: deleteLogged, least: 1, rare: /have logged/, beside: /bulk|order|the same/ },
  { name: 'operator', work: operateEvents, least: 2, rare: /events/ },
  {
    name: 'operator',
    work: administer,
    least: 19,
    rare: /durable jobs|order|the same|new schedules|manual|the record|charts|stats|by error|quiets/,
  },
  { name: 'operator', work: actByHandOnKeys, least: 6, rare: /enqueues/, beside: /manual/ },
  { name: 'viewer', work: view, least: 11 },
  { name: 'worker', work: workDurably, least: 8, rare: /durable jobs/ },
  { name: 'worker', work: workOnEvents, least: 4, rare: /handlers of events/ },
  { name: 'worker', work: workWithLogs, least: 3, rare: /jobs that log/ },
  { name: 'worker', work: workWithAlerts, least: 3, rare: /alerts/, beside: /second maintenance/ },
  { name: 'worker', work: expire, least: 3, rare: /expiresIn/ },
  { name: 'worker', work: workInBulk, least: 4, rare: /bulk operations/, beside: /old entries/ },
  { name: 'worker', work, least: 30 },
];

async function clear(admin: DataSource): Promise<void> {
  for (const { tableName } of admin.entityMetadatas) {
    await admin.query(`DELETE FROM ${tableName}`);
  }
}

async function withAccount(
  database: TestDatabase,
  granted: readonly TablePrivilege[],
  use: (own: DataSource, account: Account) => Promise<void>,
): Promise<void> {
  const account = await Account.create(database);
  await account.grant(granted);
  const own = await new DataSource(database.options({ url: account.url })).initialize();
  try {
    await use(own, account);
  } finally {
    await own.destroy();
    await account.drop();
  }
}

/** Does all of a role's work with its privileges. */
async function doWithAll(database: TestDatabase, { name, work: doAll }: Role): Promise<void> {
  const admin = await database.connect();
  await withAccount(database, grantsTo(name), async (own) => {
    await clear(admin);
    await doAll(own, admin);
  });
}

/** Does the work with the privileges that it needs, and once more without each of them. */
async function leaveOneOut(database: TestDatabase, { name, work: doAll, least, rare, beside }: Role): Promise<void> {
  const admin = await database.connect();
  const granted = grantsTo(name);
  const needed = granted.filter(
    ({ only }) => only === undefined || [rare, beside].some((rarely) => rarely?.test(only)),
  );
  const revoked = needed.filter(({ only }) => (rare === undefined ? only === undefined : rare.test(only ?? '')));
  expect(revoked.length).toBeGreaterThanOrEqual(least);
  await withAccount(database, needed, async (own, account) => {
    await clear(admin);
    await doAll(own, admin);
    const idle: string[] = [];
    for (const privilege of revoked) {
      await account.revoke(privilege);
      await clear(admin);
      const failure: unknown = await doAll(own, admin).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!/denied|could not be read/i.test(String(failure))) {
        idle.push(`${privilege.privilege} on ${privilege.table}: ${String(failure)}`);
      }
      await account.grant([privilege]);
    }
    expect(idle).toEqual([]);
    // Every privilege that was revoked is granted again.
    await clear(admin);
    await doAll(own, admin);
  });
}

test('some entry gives up each privilege of an operator for a rare operation', () => {
  const entries = ROLES.filter(({ name }) => name === 'operator');
  const rare = grantsTo('operator').filter(({ only }) => only !== undefined);
  expect(rare.filter(({ only = '' }) => !entries.some((entry) => entry.rare?.test(only)))).toEqual([]);
});

// The longest first, several at a time: they wait most of the time, and each has a database of its own. Without each
// privilege on one server only: a privilege that one of them needs is documented for both.
describeAtOnce(
  'an account with the privileges of its role',
  ROLES.toReversed().flatMap((role) =>
    (['mysql', 'mariadb'] as const).map((engine) => ({
      title:
        `${role.name}: does all of its work with them` +
        `${engine === 'mysql' ? ', and fails with one less' : ''}${role.rare ? `, ${role.rare.source}` : ''}`,
      engine,
      run: async () => {
        const database = await createDatabase(engine);
        try {
          await doWithAll(database, role);
          if (engine === 'mysql') {
            await leaveOneOut(database, role);
          }
        } finally {
          await database.drop();
        }
      },
    })),
  ),
  300_000,
);

describeEach(
  'an account with the privileges of its role',
  (engine) => {
    let admin: DataSource;
    const database = useDatabase(engine);
    beforeAll(async () => {
      admin = await database.connect();
    });

    test('a producer reads no payload and no outcome, and runs, ends and cancels nothing', async () => {
      await clear(admin);
      const { id } = await new TableQueue(admin).enqueue(job, 'secret', { key: 'k' });
      await withAccount(database, grantsTo('producer'), async (own) => {
        const queue = new TableQueue(own);
        for (const call of [
          () => queue.find(id),
          () => queue.findByKey('k'),
          () => queue.cancel(id),
          () => queue.cancelByKey('k'),
          () => queue.cancelMany({ queue: 'default' }),
          () => queue.failed.list(),
          () => queue.control.pause('default'),
          () => queue.prune(0),
        ]) {
          await expect(call()).rejects.toThrow(MissingPrivilegeError);
          await expect(call()).rejects.toThrow(/denied.*Run GRANT \w+ ON \S*tq_\w+ TO the account/);
        }
        for (const call of [
          () => own.query('SELECT payload FROM tq_job'),
          () => own.query('SELECT result FROM tq_job'),
          () => own.query("UPDATE tq_job SET state = 'running'"),
          () => own.query('DELETE FROM tq_job'),
          () => own.query("INSERT INTO tq_error (job_id) VALUES ('x')"),
        ]) {
          await expect(call()).rejects.toThrow(/denied/);
        }
        const worker = new TableQueueWorker(queue, [jobHandler(job, () => undefined)], {
          logger: new RecordingLogger(),
        });
        await expect(worker.start()).rejects.toThrow(MissingPrivilegeError);
        await worker.stop();
      });
      expect(await new TableQueue(admin).find(id)).toMatchObject({ state: 'ready', attempt: 0 });
    });

    test('a producer of unique jobs reads no payload, result or error', async () => {
      await withAccount(database, grantsTo('unique_producer'), async (own) => {
        for (const column of ['payload', 'result', 'last_error']) {
          await expect(own.query(`SELECT ${column} FROM tq_job`)).rejects.toThrow(/denied/);
        }
      });
    });

    test('a missing UPDATE is named by every call that needs it, and jobs are completed once it is granted', async () => {
      await clear(admin);
      const all = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
      const tables = admin.entityMetadatas.map(({ tableName }) => tableName);
      const granted = tables.flatMap((table) => all.map((privilege) => ({ privilege, table })));
      const missing = { privilege: 'UPDATE', table: 'tq_job' };
      await withAccount(database, granted, async (own, account) => {
        await account.revoke(missing);
        const queue = new TableQueue(own);
        const { id } = await queue.enqueue(job, 'a');
        const refused = await queue.cancel(id).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(MissingPrivilegeError);
        expect((refused as MissingPrivilegeError).privilege).toMatch(/^UPDATE ON (\w+\.)?tq_job$/);
        expect((refused as Error).message).toContain('"npx tablequeue doctor" prints every missing GRANT.');
        const logger = new RecordingLogger();
        const worker = new TableQueueWorker(queue, [jobHandler(job, () => undefined)], { logger });
        await worker.start();
        await waitFor('the worker names the privilege', () =>
          logger.lines.some((line) => line.includes('Run GRANT UPDATE')),
        );
        await account.grant([missing]);
        await waitFor('the job is completed', async () => (await queue.find(id))?.state === 'succeeded');
        await worker.stop();
      });
    });

    test('a viewer changes nothing', async () => {
      await clear(admin);
      const { id } = await new TableQueue(admin).enqueue(job, 'a', { key: 'k' });
      await withAccount(database, grantsTo('viewer'), async (own) => {
        const queue = new TableQueue(own);
        for (const call of [
          () => queue.enqueue(job, 'b'),
          () => queue.cancel(id),
          () => queue.jobs.cancel(id, { by: 'ada' }),
          () => queue.jobs.changePriority(id, 1),
          () => queue.control.pause('default'),
          () => queue.recurring.set('schedule', job, 'a', { every: '1h' }),
          ...admin.entityMetadatas
            .filter(({ tableName }) => tableName.startsWith('tq_'))
            .map(
              ({ tableName }) =>
                () =>
                  own.query(`DELETE FROM ${tableName}`),
            ),
        ]) {
          await expect(call()).rejects.toThrow(/denied/);
        }
      });
      expect(await new TableQueue(admin).find(id)).toMatchObject({ state: 'ready', priority: 0 });
    });

    test('a migration creates the tables and drops them; it names a missing CREATE', async () => {
      const empty = await createEmptyDatabase(engine);
      const account = await Account.create(empty);
      await account.grant([{ privilege: 'SELECT', table: '*' }]);
      const reader = await new DataSource(empty.options({ url: account.url })).initialize();
      const refused = await upTableQueue(reader.createQueryRunner()).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(MissingPrivilegeError);
      expect((refused as MissingPrivilegeError).privilege).toMatch(/^CREATE ON (\w+\.)?tq_\w+$/);
      await reader.destroy();
      await account.grant(grantsTo('migration'));
      const own = await new DataSource(empty.options({ url: account.url })).initialize();
      const queryRunner = own.createQueryRunner();
      await upTableQueue(queryRunner);
      await downTableQueue(queryRunner);
      await queryRunner.release();
      await own.destroy();
      await account.drop();
      await empty.drop();
    });
  },
  ['mariadb', 'mysql'],
);

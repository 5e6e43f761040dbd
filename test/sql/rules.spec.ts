import { beforeAll, expect, test } from '@jest/globals';
import { type EnqueueOptions, TableQueueJob, defineJob, jobHandler } from '@tablequeue/typeorm';
import { RESERVED_QUEUES, TableQueueKey, TableQueueUnique } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { type Call, callProcedure, createProcedure } from '../support/sql-enqueue.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const SERVERS = ['mariadb', 'mariadb118', 'mysql'] as const;
const PAST = 1_700_000_000_000;
const FUTURE = 9_000_000_000_000;
const plain = defineJob<unknown>('sql.plain', { queue: 'sql' });
const recent = defineJob<unknown>('sql.recent', { queue: 'sql', version: 3 });

/** Options of `enqueue`, and those of the procedure. */
const SAME: readonly (readonly [string, EnqueueOptions, unknown])[] = [
  ['nothing', {}, undefined],
  ['null', {}, 'null'],
  ['nulls', {}, { delay: null, key: null, unique: null, priority: null }],
  ['delay', { delay: 60_000 }, { delay: 60_000 }],
  ['delay 0', { delay: 0, priority: -500 }, { delay: 0, priority: -500 }],
  [
    'runAt before',
    { runAt: new Date(PAST), priority: 7, tenant: 'Ädä 🎉' },
    { runAt: PAST, priority: 7, tenant: 'Ädä 🎉' },
  ],
  ['runAt later', { runAt: new Date(FUTURE), priority: 7, tenant: 'a' }, { runAt: FUTURE, priority: 7, tenant: 'a' }],
  ['a decimal', { runAt: new Date(PAST) }, `{"runAt": ${PAST}.000}`],
  ['priority', { priority: 500 }, { priority: 500 }],
  ['tenant', { tenant: 'acme' }, { tenant: 'acme' }],
  ['key', { key: "o'clock:42 🎉" }, { key: "o'clock:42 🎉" }],
  ['expiresIn', { expiresIn: 5_000 }, { expiresIn: 5_000 }],
  ['delay and expiresIn', { expiresIn: 5_000, delay: 7_000 }, { expiresIn: 5_000, delay: 7_000 }],
  ['runAt and expiresIn', { expiresIn: 5, runAt: new Date(FUTURE) }, { expiresIn: 5, runAt: FUTURE }],
  ['unique', { unique: { key: 'u' } }, { unique: { key: 'u' } }],
  ['unique, queued', { unique: { key: 'u', while: 'queued' } }, { unique: { key: 'u', while: 'queued' } }],
  ['unique, period', { unique: { key: 'u', period: 50_000 } }, { unique: { key: 'u', period: 50_000 } }],
  [
    'unique, both',
    { unique: { key: 'u', while: 'unfinished', period: 50_000, onConflict: 'throw' } },
    { unique: { key: 'u', while: 'unfinished', period: 50_000, onConflict: 'throw' } },
  ],
];

const ok = { queue: 'sql', name: 'sql.plain', payload: null };
const long = (length: number) => 'x'.repeat(length);
const WRONG: readonly (readonly [string, Call, RegExp])[] = [
  ['no queue', { ...ok, queue: null }, /queue NULL: use 1 to 64 /],
  ['an empty queue', { ...ok, queue: '' }, /queue '': use 1 to 64 /],
  ['a long queue', { ...ok, queue: long(65) }, /queue 'xxx/],
  ['a space', { ...ok, queue: 'sql ' }, /queue 'sql ': use/],
  ['a line break', { ...ok, name: 'sql.plain\n' }, /name 'sql.plain\s': use 1 to 128 /],
  ['a letter that is not ASCII', { ...ok, queue: 'größe' }, /queue 'größe': use/],
  ['a name of a subscription', { ...ok, name: 'order.paid@mailing' }, /name 'order.paid@mailing'/],
  ['a name with a comma', { ...ok, name: 'a,b' }, /name 'a,b'/],
  ['a name that begins wrongly', { ...ok, name: '.a' }, /name '.a'/],
  ['a long name', { ...ok, name: long(129) }, /name 'xxx/],
  ...[...RESERVED_QUEUES.keys()].map(
    (queue) => [`the queue ${queue}`, { ...ok, queue }, /' is reserved: use another queue/] as const,
  ),
  ['a payload that is no JSON', { ...ok, payload: '{to: 1}' }, /payload '\{to: 1\}' is not JSON: use/],
  ['an empty payload', { ...ok, payload: '' }, /payload '' is not JSON/],
  ['a large payload', { ...ok, payload: `"${long(1024 * 1024)}"` }, /payload of 1048578 bytes: at most 1048576/],
  ['options that are no JSON', { ...ok, options: 'delay=1' }, /options 'delay=1' are not JSON/],
  ['options that are a list', { ...ok, options: [1] }, /options \[1\]: use a JSON object/],
  ['an unknown option', { ...ok, options: { dealy: 1 } }, /unknown option "dealy"/],
  ['a group', { ...ok, options: { groupId: 'x' } }, /unknown option "groupId"/],
  ['a duration as text', { ...ok, options: { delay: '10m' } }, /delay "10m": use a whole number from 0 to 31536/],
  ['a negative delay', { ...ok, options: { delay: -1 } }, /delay -1: use a whole number from 0/],
  ['half a millisecond', { ...ok, options: { delay: 0.5 } }, /delay 0.5: use a whole number/],
  ['a long delay', { ...ok, options: { delay: 4e12 } }, /delay 4000000000000/],
  ['a huge delay', { ...ok, options: '{"delay": 99999999999999999999}' }, /delay 9999999999|delay 1e20/],
  ['a truth value', { ...ok, options: { priority: true } }, /priority true: use a whole number from -500 to 500/],
  ['a priority', { ...ok, options: { priority: 501 } }, /priority 501: use a whole number from -500 to 500/],
  ['runAt', { ...ok, options: { runAt: 1e13 } }, /runAt 10000000000000/],
  ['both times', { ...ok, options: { runAt: 1, delay: 1 } }, /runAt 1 and delay 1: leave one/],
  ['expiresIn', { ...ok, options: { expiresIn: 0 } }, /expiresIn 0: use a whole number from 1/],
  ['a version', { ...ok, options: { version: 65_536 } }, /version 65536: use a whole number from 1 to 65535/],
  ['an empty key', { ...ok, options: { key: '' } }, /key "": use 1 to 191 characters/],
  ['a key with a space', { ...ok, options: { key: 'a ' } }, /key "a ": use 1 to 191/],
  ['a key with NUL', { ...ok, options: { key: 'a\0b' } }, /key "a.*b": use 1 to 191/],
  ['a long key', { ...ok, options: { key: '🎉'.repeat(96) } }, /key ".*use 1 to 191/],
  ['a number as tenant', { ...ok, options: { tenant: 5 } }, /tenant 5: use 1 to 191/],
  ['unique, no object', { ...ok, options: { unique: 'u' } }, /unique "u": use a JSON object with a key/],
  ['unique, no key', { ...ok, options: { unique: {} } }, /unique without a key: set unique.key/],
  ['unique, unknown', { ...ok, options: { unique: { key: 'u', maxWait: 1 } } }, /unknown option unique."maxWait"/],
  [
    'unique.while',
    { ...ok, options: { unique: { key: 'u', while: 'running' } } },
    /unique.while 'running': use queued/,
  ],
  ['unique.period', { ...ok, options: { unique: { key: 'u', period: 0 } } }, /unique.period 0: use a whole/],
  [
    'replace',
    { ...ok, options: { unique: { key: 'u', onConflict: 'replace' } } },
    /Only queue.enqueue\(\) can replace/,
  ],
];

describeEach(
  'the rules of the procedure',
  (engine) => {
    const bench = useWorkbench(engine);
    beforeAll(() => createProcedure(bench.dataSource));

    /** The only job with its other rows. Times are relative to its creation. */
    async function takeStored() {
      const [job] = await bench.rows(TableQueueJob);
      const { id, createdAt, ...rest } = job!;
      const [key] = await bench.rows(TableQueueKey);
      const [unique] = await bench.rows(TableQueueUnique);
      const [expiry] = await bench.dataSource.query<Record<string, unknown>[]>(
        'SELECT CAST(check_at AS CHAR) AS check_at, HEX(job_id) AS job_id FROM tq_expiry',
      );
      await bench.reset();
      // Computed from the present time, or given.
      const relative = (time: number | null) =>
        time === null || time === PAST || time >= FUTURE ? time : time - createdAt;
      return {
        ...rest,
        runAt: relative(rest.runAt),
        position:
          rest.priority === 0
            ? relative(rest.position)
            : rest.position - (rest.runAt === PAST || rest.runAt >= FUTURE ? 0 : createdAt),
        expiresAt: relative(rest.expiresAt),
        key: key && { key: key.key, isOwn: key.jobId === id },
        unique: unique && {
          name: unique.name,
          key: unique.key,
          lasts: unique.lasts,
          isOwn: unique.jobId === id,
          windowUntil: unique.windowUntil && Math.round((unique.windowUntil - createdAt) / 1_000),
        },
        expiry: expiry && {
          time: Number(expiry.check_at) === rest.expiresAt,
          jobId: String(expiry.job_id).toLowerCase() === id.replaceAll('-', ''),
        },
      };
    }

    test.each(SAME)('stores the same rows as enqueue: %s', async (_title, options, sqlOptions) => {
      const payload = { to: 'ädä 🎉', list: [1, null, "it's"] };
      await bench.queue.enqueue(plain, payload, options);
      const expected = await takeStored();
      await callProcedure(bench.dataSource, { ...ok, payload: JSON.stringify(payload), options: sqlOptions });
      expect(await takeStored()).toEqual(expected);
    });

    test('stores the version of the payload, and a job without a payload', async () => {
      await bench.queue.enqueue(recent, undefined);
      const expected = await takeStored();
      await callProcedure(bench.dataSource, { ...ok, name: recent.name, options: { version: 3 } });
      expect(await takeStored()).toEqual(expected);
      expect(expected).toMatchObject({ payload: null, payloadVersion: 3 });
    });

    test.each(WRONG)('refuses %s', async (_title, call, message) => {
      const error = await callProcedure(bench.dataSource, call).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ errno: 1644, sqlState: '45000', message: expect.stringMatching(message) });
      expect((error as { sqlMessage: string }).sqlMessage).toMatch(/^Tablequeue: .{1,116}$/su);
      expect(await bench.isEmpty()).toBe(true);
    });

    test('handlers get the payload, and jobs run by priority, then in the order of the calls', async () => {
      const calls = [...Array.from({ length: 20 }, (_, index) => [index, 0] as const), [20, -1] as const];
      for (const [index, priority] of calls) {
        await callProcedure(bench.dataSource, { ...ok, payload: String(index), options: { priority } });
      }
      const got: unknown[] = [];
      await bench.work([jobHandler(plain, (payload) => void got.push(payload))], { concurrency: 1 });
      await waitFor('the jobs', () => got.length === calls.length);
      expect(got).toEqual([20, ...Array.from({ length: 20 }, (_, index) => index)]);
    });

    test('returns the UUIDv7 of the job', async () => {
      const id = await callProcedure(bench.dataSource, ok);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
      const job = await bench.queue.find(id);
      expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(job!.createdAt.getTime());
    });

    test('works in a session with other settings', async () => {
      for (const setting of ["sql_mode = 'ANSI'", "sql_mode = ''", "time_zone = '+05:30'", 'NAMES latin1']) {
        const id = await bench.dataSource.transaction(async (manager) => {
          await manager.query(`SET ${setting}`);
          await manager.query(`CALL tq_enqueue('sql', 'sql.plain', '{"a":"b"}', '{"tenant":"t"}', @job_id)`);
          const [row] = await manager.query<{ id: string }[]>('SELECT @job_id AS id');
          return row!.id;
        });
        const job = await bench.queue.find(id);
        expect(job).toMatchObject({ payload: { a: 'b' }, tenant: 't' });
        expect(Math.abs(job!.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
      }
    });
  },
  SERVERS,
);

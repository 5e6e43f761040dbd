import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  StatementTooLargeError,
  type TableQueueWorker,
  UnsupportedSessionError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';
import mysql from 'mysql2/promise';

import { ownServer } from '../servers/obtain-server.js';
import type { Server, ServerEngine } from '../servers/server.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';
import { walk } from '../support/session-walk.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

const KIB = 1024;
const padded = defineJob<{ readonly index: number; readonly text: string }>('padded', { retry: { attempts: 1 } });

/** Letters of one to four bytes, and characters that the driver escapes. */
const HARD = `"it's" \\ ß 木 😀`;
const pad = (length: number) => HARD.repeat(Math.ceil(length / HARD.length)).slice(0, length);
const jobs = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => ({ payload: { index, text: pad(length) }, key: `key ${index}` }));

describeEach(
  'a server with a small max_allowed_packet',
  (engine) => {
    let server: Server;
    let bench: Workbench;
    beforeAll(async () => {
      server = await ownServer(engine as ServerEngine, 'tests');
    });
    afterAll(() => server.stop());
    const open = async (bytes: number) => {
      const admin = await mysql.createConnection(server.url);
      await admin.query(`SET GLOBAL max_allowed_packet = ${bytes}`);
      await admin.end();
      bench = await Workbench.open(engine, server.url);
    };
    afterEach(() => bench.close());

    test.each([
      [64 * KIB, 500],
      [64 * KIB, 8_000],
      [KIB * KIB, 4_000],
    ])('of %d bytes: 1,000 jobs of %d letters are stored, together or not at all', async (bytes, length) => {
      await open(bytes);
      const { queue, dataSource } = bench;
      await queue.enqueueMany(padded, jobs(1_000, length));
      const rollback = dataSource.transaction(async (manager) => {
        await queue.enqueueMany(padded, jobs(1_000, length), { manager });
        throw new Error('undone');
      });
      await expect(rollback).rejects.toThrow('undone');
      await dataSource.query(
        'CREATE TRIGGER no BEFORE INSERT ON tq_job FOR EACH ROW IF NEW.payload LIKE \'{"index":999,%\' THEN ' +
          "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not the last'; END IF",
      );
      await expect(queue.enqueueMany(padded, jobs(1_000, length))).rejects.toThrow('not the last');
      const [{ count } = {}] = (await dataSource.query('SELECT COUNT(*) AS count FROM tq_job')) as {
        count?: unknown;
      }[];
      expect(Number(count)).toBe(1_000);
      const [last] = await queue.findByKey('key 999');
      expect(last?.payload).toEqual(jobs(1_000, length)[999]!.payload);
    });

    test('single calls that share an INSERT, unique jobs and groups', async () => {
      await open(64 * KIB);
      const { queue } = bench;
      await Promise.all(jobs(300, 3_000).map(({ payload }) => queue.enqueue(padded, payload)));
      const unique = jobs(600, 1_000).map(({ payload }) => ({
        payload,
        unique: { key: `${payload.index} ${'木'.repeat(180)}` },
      }));
      expect((await queue.enqueueMany(padded, unique)).filter(({ created }) => created)).toHaveLength(600);
      expect((await queue.enqueueMany(padded, unique)).filter(({ created }) => created)).toHaveLength(0);
      await queue.groups.enqueue({
        jobs: jobs(1_000, 100).map(({ payload }) => ({ definition: padded, payload })),
        onComplete: { definition: padded, payload: { index: -1, text: '' } },
      });
      expect(await bench.liveJobs()).toHaveLength(300 + 600 + 1_001);
    });

    test('results, errors and progress are stored in several statements', async () => {
      await open(64 * KIB);
      const { queue } = bench;
      await queue.enqueueMany(padded, jobs(800, 20));
      const worker = await bench.work(
        [
          jobHandler(padded, ({ index }, job) => {
            job.progress({ at: pad(500) });
            if (index % 4 === 0) {
              throw new Error(pad(2_000));
            }
            return pad(index % 4 === 1 ? 3_000 : 10);
          }),
        ],
        { concurrency: 800 },
      );
      await allHaveRun(worker);
      const finished = await bench.finishedJobs();
      expect(finished.filter(({ state }) => state === 'succeeded')).toHaveLength(600);
      expect(finished.filter(({ state }) => state === 'failed')).toHaveLength(200);
      const [one] = await queue.findByKey('key 1');
      expect(one).toMatchObject({ state: 'succeeded', result: pad(3_000), progress: { at: pad(500) } });
      expect(bench.logger.lines.filter((line) => !line.includes('failed for good'))).toEqual([]);
    });

    test('a job that does not fit is refused with its size, and leaves its transaction as it was', async () => {
      await open(64 * KIB);
      const { queue, dataSource } = bench;
      const large = { index: 1, text: 'x'.repeat(70_000) };
      const refusal = queue.enqueue(padded, large);
      await expect(refusal).rejects.toThrow(StatementTooLargeError);
      await expect(refusal).rejects.toThrow(/take 7\d{4} bytes .* is 65536\. Raise max_allowed_packet/);
      await dataSource.transaction(async (manager) => {
        const some = [...jobs(200, 1_000), { payload: large }];
        await expect(queue.enqueueMany(padded, some, { manager })).rejects.toThrow(StatementTooLargeError);
        const member = { definition: padded, payload: large };
        await expect(queue.groups.enqueue({ jobs: [member], onComplete: member }, { manager })).rejects.toThrow(
          StatementTooLargeError,
        );
        await expect(queue.enqueue(padded, large, { manager, unique: { key: 'k' } })).rejects.toThrow(
          StatementTooLargeError,
        );
        await queue.enqueue(padded, { index: 2, text: 'small' }, { manager, unique: { key: 'k' } });
      });
      await expect(queue.recurring.set('often', padded, large, { every: '1h' })).rejects.toThrow(
        StatementTooLargeError,
      );
      expect(await bench.liveJobs()).toHaveLength(1);
      expect(await dataSource.query('SELECT id FROM tq_group')).toEqual([]);
    });

    test('progress that does not fit neither delays the progress of others nor costs a result', async () => {
      await open(64 * KIB);
      const { queue } = bench;
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const handler = jobHandler(padded, async ({ index }, job) => {
        job.progress({ at: 'x'.repeat(index === 1 ? 10 : 70_000) });
        // One ends at once, with its progress.
        await (index === 2 ? undefined : ended);
        return index;
      });
      await queue.enqueueMany(padded, jobs(3, 10));
      const worker = await bench.work([handler]);
      await waitFor('the progress that fits is stored', async () => {
        const [job] = await queue.findByKey('key 1');
        return job?.state === 'running' && job.progress !== null;
      });
      // After the commit that the other connection sees.
      await waitFor('the other one is reported', () =>
        bench.logger.lines.some((line) => /^warn .*"padded" was not stored.*70\d+ bytes/.test(line)),
      );
      end();
      await allHaveRun(worker);
      for (const index of [0, 1, 2]) {
        expect(await queue.findByKey(`key ${index}`)).toMatchObject([{ state: 'succeeded', result: index }]);
      }
    });

    test('of less than 64 KB is refused, and the doctor finds it', async () => {
      await open(32 * KIB);
      const refusal = bench.queue.enqueue(padded, { index: 0, text: '' });
      await expect(refusal).rejects.toThrow(UnsupportedSessionError);
      await expect(refusal).rejects.toThrow('max_allowed_packet = 32768');
      const start = bench.work([jobHandler(padded, () => undefined)]);
      await expect(start).rejects.toThrow(UnsupportedSessionError);
      const { by } = await doctor(bench.database.url);
      expect(by['packet-size']).toMatchObject({ status: 'problem' });
      expect(by['worker-session']).toMatchObject({ status: 'problem', found: expect.stringContaining('= 32768') });
    });

    test('a payload and a result or an error that fit one by one only', async () => {
      await open(64 * KIB);
      const { queue } = bench;
      const payload = (index: number) => ({ payload: { index, text: 'x'.repeat(50_000) }, key: `key ${index}` });
      await queue.enqueueMany(padded, [payload(0), payload(1), payload(2)]);
      const worker = await bench.work([
        jobHandler(padded, ({ index }, job) => {
          job.progress({ at: index });
          if (index === 0) {
            throw new Error('木'.repeat(15_000));
          }
          return 'x'.repeat(index === 1 ? 50_000 : 70_000);
        }),
      ]);
      await allHaveRun(worker);
      expect(await queue.findByKey('key 0')).toMatchObject([{ state: 'failed', payload: payload(0).payload }]);
      expect(await queue.findByKey('key 1')).toMatchObject([{ state: 'succeeded', result: 'x'.repeat(50_000) }]);
      // The result that does not fit is left out.
      expect(await queue.findByKey('key 2')).toMatchObject([{ state: 'succeeded', payload: payload(2).payload }]);
    });

    test('many queues are counted and polled', async () => {
      await open(64 * KIB);
      const definitions = Array.from({ length: 400 }, (_, index) => {
        return defineJob(`job-${index}`, { queue: `${'q'.repeat(60)}${index}` });
      });
      const [first, ...others] = definitions;
      await Promise.all(others.map((definition) => bench.queue.enqueue(definition, undefined, { delay: '1h' })));
      const { id } = await bench.queue.enqueue(first!);
      expect(await bench.queue.counts()).toHaveLength(400);
      await bench.work(definitions.map((definition) => jobHandler(definition, () => undefined)));
      await bench.untilJobIs(id, 'succeeded');
    });

    test('the whole queue', async () => {
      await open(64 * KIB);
      await walk(bench);
    });

    async function allHaveRun(worker: TableQueueWorker): Promise<void> {
      await waitFor('all jobs have run', async () => (await bench.liveJobs()).length === 0);
      await worker.stop();
    }
  },
  ['mariadb', 'mysql'],
);

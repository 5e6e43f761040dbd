import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

import { describe, expect, test } from '@jest/globals';
import { TableQueueJob, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueExpiry, TableQueueKey, uuidToBytes } from '@tablequeue/typeorm/internal';

import { ENGINES } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PAGE = fileURLToPath(new URL('../../docs/reference/row-format.md', import.meta.url));
const TABLES = fileURLToPath(new URL('../../docs/reference/tables.md', import.meta.url));
const mail = defineJob<unknown>('mail.send', { queue: 'mail' });
const STEP = 10_000_000_000_000;

/** The columns of a table on a page. */
function columnsUnder(page: string, heading: string): string[] {
  const [, section = ''] =
    new RegExp(`^#+ ${heading}\n(.*?)(?=^#|(?![^]))`, 'ms').exec(readFileSync(page, 'utf8')) ?? [];
  return [...section.matchAll(/^\| `(\w+)` +\|/gm)].map(([, column]) => column!);
}

const REQUIRED = columnsUnder(PAGE, 'Columns to set');
const OPTIONAL = columnsUnder(PAGE, 'Columns for options');

describe('the page of the row format', () => {
  test('names each column of a job once', () => {
    const all = [...REQUIRED, ...OPTIONAL, ...columnsUnder(PAGE, 'Columns not to set')];
    const columns = columnsUnder(TABLES, 'tq_job').filter((column) => !column.startsWith('tq_'));
    expect(all.toSorted()).toEqual(columns.toSorted());
  });
});

describeEach(
  'rows that another language writes',
  (engine) => {
    const bench = useWorkbench(engine);
    const NOW =
      engine === 'sqlite'
        ? "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
        : "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000";

    interface Options {
      readonly priority?: number;
      readonly key?: string;
      readonly tenant?: string;
      readonly version?: number;
      readonly delay?: number;
      readonly expiresIn?: number;
    }

    /** Writes a job with the columns of the page. */
    async function insert(payload: unknown, options: Options = {}): Promise<string> {
      const { dataSource } = bench;
      const [clock] = await dataSource.query<{ now: number | string }[]>(`SELECT ${NOW} AS now`);
      const now = Number(clock!.now);
      const { priority = 0, key, tenant, version, delay = 0, expiresIn } = options;
      const time = now.toString(16).padStart(12, '0');
      const random = randomBytes(10).toString('hex');
      const id = `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
      const lane = tenant === undefined ? 0 : crc32(tenant) || 1;
      const runAt = now + delay;
      const isReady = delay === 0;
      const row: Record<string, unknown> = {
        id: uuidToBytes(id),
        queue: mail.queue,
        name: mail.name,
        payload: JSON.stringify(payload),
        created_at: now,
        run_at: runAt,
        state: isReady ? 'ready' : 'scheduled',
        lane: isReady ? lane : 0,
        position: isReady ? priority * STEP + runAt : runAt,
      };
      expect(Object.keys(row).toSorted()).toEqual(REQUIRED.toSorted());
      Object.assign(row, priority !== 0 && { priority }, version !== undefined && { payload_version: version });
      Object.assign(row, key !== undefined && { job_key: key }, tenant !== undefined && { tenant, tenant_lane: lane });
      Object.assign(row, expiresIn !== undefined && { expires_at: runAt + expiresIn });
      expect([...REQUIRED, ...OPTIONAL]).toEqual(expect.arrayContaining(Object.keys(row)));
      await dataSource.transaction(async (manager) => {
        if (key !== undefined) {
          await manager.query('INSERT INTO tq_key (job_key, job_id) VALUES (?, ?)', [key, row.id]);
        }
        if (expiresIn !== undefined) {
          await manager.query('INSERT INTO tq_expiry (job_id, check_at) VALUES (?, ?)', [row.id, row.expires_at]);
        }
        const marks = Object.keys(row).map(() => '?');
        await manager.query(
          `INSERT INTO tq_job (${Object.keys(row).join()}) VALUES (${marks.join()})`,
          Object.values(row),
        );
      });
      return id;
    }

    /** The only job and its other rows, with times from its creation on. */
    async function takeStored() {
      const [job] = await bench.rows(TableQueueJob);
      const { id, createdAt, ...rest } = job!;
      const keys = (await bench.rows(TableQueueKey)).map(({ key, jobId }) => ({ key, isOwn: jobId === id }));
      const expiries = (await bench.rows(TableQueueExpiry)).map(({ jobId, checkAt }) => ({
        isOwn: jobId === id,
        checkAt: checkAt - createdAt,
      }));
      await bench.reset();
      const [runAt, position] = [rest.runAt - createdAt, rest.position - createdAt];
      const expiresAt = rest.expiresAt === null ? null : rest.expiresAt - createdAt;
      return { ...rest, runAt, position, expiresAt, keys, expiries };
    }

    test.each<[string, Options]>([
      ['nothing', {}],
      ['priority', { priority: -7 }],
      ['key', { key: 'order:42 🎉' }],
      ['tenant', { tenant: 'Ädä 🎉', priority: 3 }],
      ['delay', { delay: 60_000, priority: 3, tenant: 'a' }],
      ['expiry', { expiresIn: 5_000, delay: 1_000 }],
    ])('are those of enqueue: %s', async (_title, options) => {
      await bench.queue.enqueue(mail, { to: 'ädä' }, options);
      const expected = await takeStored();
      await insert({ to: 'ädä' }, options);
      expect(await takeStored()).toEqual(expected);
    });

    test('have the version of the payload', async () => {
      await bench.queue.enqueue(defineJob<unknown>(mail.name, { queue: mail.queue, version: 3 }), 1);
      const expected = await takeStored();
      await insert(1, { version: 3 });
      expect(await takeStored()).toEqual(expected);
    });

    test('run by priority', async () => {
      await insert(1);
      await insert(2, { priority: -1 });
      const got: unknown[] = [];
      await bench.work([jobHandler(mail, (payload) => void got.push(payload))], { concurrency: 1 });
      await waitFor('both jobs', () => got.length === 2);
      expect(got).toEqual([2, 1]);
    });

    if (engine !== 'sqlite') {
      test('the statement of the page stores a plain job', async () => {
        const [, statement] = /^```sql\n(.*?)^```/ms.exec(readFileSync(PAGE, 'utf8')) ?? [];
        await bench.queue.enqueue(mail, { to: 'ada@example.org' });
        const { payload, ...expected } = await takeStored();
        await bench.dataSource.query(statement!);
        const [job] = await bench.liveJobs();
        expect(job!.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(await bench.queue.find(job!.id)).toMatchObject({ payload: JSON.parse(payload!) as unknown });
        expect(await takeStored()).toMatchObject(expected);
      });
    }
  },
  ENGINES,
);

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { TABLES_VERSION, jobHandler, upTableQueue } from '@tablequeue/typeorm';
import { Reaper, installedTables } from '@tablequeue/typeorm/internal';

import { createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { callback, dump, fill, held, load, once, paused, step, tick } from '../support/released.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

/** The tables of each version, frozen with TABLEQUEUE_FREEZE=1 when it was released. They never change again. */
const FOLDER = join(process.cwd(), 'test/deployments/released');
const VERSIONS = Array.from({ length: TABLES_VERSION }, (_, index) => index + 1);

describeEach('tables of every version', (engine) => {
  const kind = engine === 'sqlite' ? 'sqlite' : 'mysql';
  const fileOf = (version: number) => join(FOLDER, `v${version}-${kind}.sql`);

  test('the latest is frozen', async () => {
    if (process.env.TABLEQUEUE_FREEZE && !existsSync(fileOf(TABLES_VERSION))) {
      const bench = await Workbench.open(engine);
      await fill(bench);
      writeFileSync(fileOf(TABLES_VERSION), await dump(bench.dataSource));
      await bench.close();
    }
    expect(VERSIONS.map(fileOf).filter((file) => !existsSync(file))).toEqual([]);
  });

  describe.each(VERSIONS)('version %i', (version) => {
    let bench: Workbench;
    beforeEach(async () => {
      const database = await createEmptyDatabase(engine);
      const dataSource = await database.connect();
      const runner = dataSource.createQueryRunner();
      await load(runner, readFileSync(fileOf(version), 'utf8'));
      await upTableQueue(runner, { from: version });
      expect(await installedTables(runner)).toMatchObject({ version: TABLES_VERSION, missing: [] });
      await runner.query('CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text VARCHAR(200) NOT NULL)');
      await runner.release();
      bench = Workbench.on(database, dataSource);
    });
    afterEach(() => bench.close());

    test('ends up as the entities define it, and had rows in every table, jobs in every state', async () => {
      const { upQueries } = await bench.dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
      const tables = bench.dataSource.entityMetadatas.filter(({ tableName }) => tableName.startsWith('tq_'));
      const empty: string[] = [];
      for (const { tableName, target } of tables) {
        if ((await bench.dataSource.getRepository(target).count()) === 0) {
          empty.push(tableName);
        }
      }
      expect(empty).toEqual([]);
      const states = [...(await bench.liveJobs()), ...(await bench.history())].map(({ state }) => state);
      expect([...new Set<string>(states)].toSorted()).toEqual(
        ['cancelled', 'failed', 'ready', 'running', 'scheduled', 'succeeded', 'waiting'].toSorted(),
      );
    });

    test('its jobs, groups, schedules and pauses continue', async () => {
      const { queue } = bench;
      expect(await queue.findByKey('order:1')).toMatchObject([
        { state: 'succeeded', result: { number: 1 }, progress: { half: 1 }, tenant: 'a', priority: -2, payload: 1 },
      ]);
      const [failed] = await queue.findByKey('order:2');
      expect(failed).toMatchObject({ state: 'failed', failures: 1, errors: [{ attempt: 1 }] });
      bench.clock.advance('2h');
      for (const key of ['unfinished', 'queued', 'window']) {
        // The window began when it was frozen.
        const isOver = key === 'window';
        expect(await queue.enqueue(once, 0, { delay: '1h', unique: { key } })).toMatchObject({ created: isOver });
      }
      expect(await queue.failed.retry(failed!.id)).toBe(true);
      bench.clock.advance('25h');
      // Before there is a worker, which would be notified and have claimed the cancelled jobs.
      expect(await new Reaper(queue.engine).runOnce()).toMatchObject({ workers: 1, returned: 2, cancelled: 1 });
      const ran: string[] = [];
      const note = (payload: unknown, { name }: { name: string }) => void ran.push(`${name} ${String(payload)}`);
      const worker = await bench.work(
        [step, held, paused, once, callback].map((job) => jobHandler(job as typeof step, note)),
      );
      expect(await worker.scheduler.runOnce()).toEqual({ fired: 1, skipped: expect.any(Number) });
      await worker.retrier.runOnce();
      await waitFor('what is not paused has run', async () => {
        return (await bench.liveJobs()).every(({ name }) => ['paused', 'callback', 'tick'].includes(name));
      });
      expect(ran).not.toContain('paused 11');
      await queue.control.resume('paused');
      await waitFor('the group has ended', () => ran.some((each) => each.startsWith('callback')));
      const expected = [
        'callback undefined',
        'held 1',
        'once 0',
        'once 2',
        'once 3',
        'once 4',
        'paused 11',
        'step -1',
        'step -2',
      ];
      expect(ran.toSorted()).toEqual(expected);
      await bench.stopWorkers();
      await bench.work([jobHandler(tick, note)]);
      await waitFor('the schedule has fired', () => bench.isEmpty());
      expect(await queue.recurring.list()).toMatchObject([
        { name: 'daily', timeZone: 'Europe/Berlin', cron: '30 2 * * *' },
        { name: 'hourly', pausedAt: expect.any(Date) },
      ]);
    });
  });
});

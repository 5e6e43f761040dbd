import { expect, test } from '@jest/globals';
import { TableQueue, TableQueueWorker, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { databaseTime } from '../support/schedules.js';
import { driverWithSession } from '../support/session-settings.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const delayed = defineJob<number>('delayed', { retry: { attempts: 2, backoff: fixed('1s') } });
const CHANGES = { spring: [3600, 7200], autumn: [7200, 3600] } as const;
/** When the clocks change, in seconds from the beginning of the test. */
const CHANGE_IN = 3;

/** Adds a time zone whose clocks change in a few seconds to the server, and removes it again. */
async function zoneThatChanges(dataSource: DataSource, season: keyof typeof CHANGES) {
  const runner = dataSource.createQueryRunner();
  const insert = (sql: string, values: unknown[]) => runner.query(`INSERT INTO mysql.${sql}`, values);
  const name = `tq/${season}_${dataSource.driver.database}`;
  const { insertId: id } = (await insert("time_zone (Use_leap_seconds) VALUES ('N')", [])) as { insertId: number };
  await insert('time_zone_name (Name, Time_zone_id) VALUES (?, ?)', [name, id]);
  const [row] = (await runner.query('SELECT UNIX_TIMESTAMP() AS seconds')) as { seconds: number | string }[];
  for (const [type, offset] of CHANGES[season].entries()) {
    await insert('time_zone_transition_type VALUES (?, ?, ?, 0, ?)', [id, type, offset, `T${type}`]);
    const at = Number(row!.seconds) + (type === 0 ? -1_000_000 : CHANGE_IN);
    await insert('time_zone_transition (Time_zone_id, Transition_time, Transition_type_id) VALUES (?, ?, ?)', [
      id,
      at,
      type,
    ]);
  }
  const remove = async () => {
    for (const table of ['time_zone', 'time_zone_name', 'time_zone_transition', 'time_zone_transition_type']) {
      await runner.query(`DELETE FROM mysql.${table} WHERE Time_zone_id = ?`, [id]);
    }
    await runner.release();
  };
  return { name, remove };
}

describeEach(
  'sessions in a time zone whose clocks change while jobs wait',
  (engine) => {
    const bench = useWorkbench(engine, { isolation: 'database' });

    test.each(['spring', 'autumn'] as const)('in %s nothing is early, late or twice', async (season) => {
      const zone = await zoneThatChanges(bench.dataSource, season);
      const dataSource = await bench.database.connect({
        driver: driverWithSession(`SET SESSION time_zone = '${zone.name}'`),
      });
      const offset = async () => {
        const [row] = (await dataSource.query('SELECT TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW()) AS minutes')) as {
          minutes: number | string;
        }[];
        return Number(row!.minutes) * 60;
      };
      try {
        expect(await offset()).toBe(CHANGES[season][0]);
        const queue = new TableQueue(dataSource);
        const waits = [0, 1, 2, 3, 4, 5].map((seconds) => seconds * 1000);
        const begun = await databaseTime(bench);
        await queue.enqueueMany(
          delayed,
          waits.map((delay) => ({ payload: delay, delay })),
        );
        const stored = await databaseTime(bench);
        await queue.recurring.set('often', delayed, -1, { every: '1s', catchUp: 'all' });
        const worker = new TableQueueWorker(
          queue,
          [
            jobHandler(delayed, (number, { attempt }) => {
              if (number === 2000 && attempt === 1) {
                throw new Error('once more, after the change');
              }
            }),
          ],
          { logger: bench.logger },
        );
        await worker.start();
        const finished = await waitFor('all have run', async () => {
          const rows = await bench.finishedJobs();
          return rows.filter(({ payload }) => payload !== '-1').length === waits.length && rows;
        });
        await worker.stop();
        expect(await offset()).toBe(CHANGES[season][1]);
        for (const { payload, runAt, claimedAt, attempt } of finished) {
          const number = Number(payload);
          expect(claimedAt - runAt).toBeGreaterThanOrEqual(0);
          expect(claimedAt - runAt).toBeLessThan(6_000);
          expect(attempt).toBe(number === 2000 ? 2 : 1);
          if (number >= 0 && attempt === 1) {
            expect(runAt - number).toBeGreaterThanOrEqual(begun);
            expect(runAt - number).toBeLessThanOrEqual(stored);
          }
        }
        const ticks = finished.filter(({ payload }) => payload === '-1').map(({ runAt }) => runAt);
        ticks.sort((a, b) => a - b);
        expect(ticks.length).toBeGreaterThan(2);
        expect(ticks).toEqual(ticks.map((_, index) => ticks[0]! + index * 1000));
      } finally {
        await dataSource.destroy();
        await zone.remove();
      }
    });

    test('no column of the tables has a time that a zone, or the year 2038, could change', async () => {
      const types = (await bench.dataSource.query(
        `SELECT DISTINCT DATA_TYPE AS type FROM information_schema.COLUMNS
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'tq%' AND COLUMN_NAME LIKE '%at' OR COLUMN_NAME LIKE '%until'
           AND TABLE_SCHEMA = DATABASE()`,
      )) as { type: string }[];
      expect(types).toEqual([{ type: 'bigint' }]);
    });
  },
  ['mariadb', 'mysql'],
);

import { randomUUID } from 'node:crypto';

import { expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';
import { TableQueueSchedule } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

/** The processes have no handler for it: its jobs stay where they are. */
const tick = defineJob('tick', { queue: 'ticks' });

const SCHEDULES = 30;
/** More than half of the number stored in one transaction: each schedule has one of its own. */
const MISSED = 300;
const SECOND = 1000;

describeEach('processes that fire the same schedules, and are killed while they do', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  const count = async (sql: string): Promise<number> => {
    const [row] = (await bench.dataSource.query(`SELECT COUNT(*) AS count FROM ${sql}`)) as [{ count: string }];
    return Number(row.count);
  };

  /** Schedules that have not fired yet. */
  const untouched = () => count('tq_schedule WHERE last_fire_at IS NULL');

  /** @returns the first tick of each. */
  async function addSchedules(): Promise<Map<string, number>> {
    const names: string[] = Array.from({ length: SCHEDULES }, () => randomUUID());
    for (const name of names) {
      await bench.queue.recurring.set(name, tick, undefined, { every: '1s', catchUp: 'all', key: name });
    }
    await bench.dataSource.query('UPDATE tq_schedule SET next_fire_at = next_fire_at - ? WHERE last_fire_at IS NULL', [
      MISSED * SECOND,
    ]);
    const schedules = await bench.rows(TableQueueSchedule);
    return new Map(
      schedules.filter(({ name }) => names.includes(name)).map(({ name, nextFireAt }) => [name, nextFireAt as number]),
    );
  }

  /** Kills a process in the middle of its missed ticks. Starts others if it was too fast for that. */
  async function killInTheMiddle(): Promise<Map<string, number>> {
    const firstTicks = new Map<string, number>();
    do {
      (await addSchedules()).forEach((first, name) => firstTicks.set(name, first));
      const victim = await bench.startProcess();
      await waitFor('it has started', async () => (await untouched()) < SCHEDULES);
      await victim.child.end('SIGKILL');
    } while ((await untouched()) === 0);
    return firstTicks;
  }

  test('each tick has exactly one job', async () => {
    const firstTicks = await killInTheMiddle();
    const [second] = await Promise.all([bench.startProcess(), bench.startProcess(), bench.startProcess()]);
    await waitFor('all are made up for', async () => (await untouched()) === 0);
    const jobs = await count('tq_job');
    await waitFor('ticks go on', async () => (await count('tq_job')) >= jobs + 2 * firstTicks.size);
    await second.child.end('SIGKILL');
    const later = await count('tq_job');
    await waitFor('ticks go on without it', async () => (await count('tq_job')) >= later + firstTicks.size);
    await Promise.all([...firstTicks.keys()].map((name) => bench.queue.recurring.pause(name)));

    const after = await bench.rows(TableQueueSchedule);
    const stored = await bench.liveJobs();
    for (const [name, first] of firstTicks) {
      const last = after.find((schedule) => schedule.name === name)?.lastFireAt as number;
      const expected = Array.from({ length: (last - first) / SECOND + 1 }, (_, index) => first + index * SECOND);
      const fired = stored.filter(({ key }) => key === name).map(({ runAt }) => runAt);
      expect(fired.sort((a, b) => a - b)).toEqual(expected);
      expect(fired.length).toBeGreaterThan(MISSED);
    }
  });
});

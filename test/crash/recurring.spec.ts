import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TableQueueSchedule, defineJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

/** The processes have no handler for it: its jobs stay where they are. */
const tick = defineJob('tick', { queue: 'ticks' });

const SCHEDULES = 30;
const MISSED = 100;
const SECOND = 1000;

describeEach('processes that fire the same schedules, and are killed while they do', (engine) => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await Workbench.open(engine);
  });
  afterEach(() => bench.close());

  const count = async (sql: string): Promise<number> => {
    const [row] = (await bench.dataSource.query(`SELECT COUNT(*) AS count FROM ${sql}`)) as [{ count: string }];
    return Number(row.count);
  };

  test('each tick has exactly one job', async () => {
    const { recurring } = bench.queue;
    for (let index = 0; index < SCHEDULES; index++) {
      const name = `schedule-${index}`;
      await recurring.set(name, tick, undefined, { every: '1s', missed: 'all', key: name });
    }
    await bench.dataSource.query('UPDATE tq_schedule SET next_fire_at = next_fire_at - ?', [MISSED * SECOND]);
    const before = await bench.rows(TableQueueSchedule);
    const nobodyWasThere = 'tq_schedule WHERE last_fire_at IS NULL';

    const victim = await bench.startProcess();
    await waitFor('it is in the middle of it', async () => (await count(nobodyWasThere)) < SCHEDULES);
    await victim.child.end('SIGKILL');
    const left = await count(nobodyWasThere);
    expect(left).toBeGreaterThan(0);

    const [second] = await Promise.all([bench.startProcess(), bench.startProcess(), bench.startProcess()]);
    await waitFor('all are made up for', async () => (await count(nobodyWasThere)) === 0);
    const jobs = await count('tq_job');
    await waitFor('ticks go on', async () => (await count('tq_job')) >= jobs + 2 * SCHEDULES);
    await second.child.end('SIGKILL');
    const later = await count('tq_job');
    await waitFor('ticks go on without it', async () => (await count('tq_job')) >= later + SCHEDULES);
    await Promise.all(before.map(({ name }) => recurring.pause(name)));

    const after = await bench.rows(TableQueueSchedule);
    const stored = await bench.liveJobs();
    for (const { name, nextFireAt } of before) {
      const first = nextFireAt as number;
      const last = after.find((schedule) => schedule.name === name)?.lastFireAt as number;
      const expected = Array.from({ length: (last - first) / SECOND + 1 }, (_, index) => first + index * SECOND);
      const fired = stored.filter(({ key }) => key === name).map(({ runAt }) => runAt);
      expect(fired.sort((a, b) => a - b)).toEqual(expected);
      expect(fired.length).toBeGreaterThan(MISSED);
    }
  });
});

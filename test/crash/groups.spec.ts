import { expect, test } from '@jest/globals';
import { TableQueueMember } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { countJob, holdJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const MEMBERS = 300;
const CALLBACK = 1_000;
const OPTIONS = { concurrency: 5, lease: '5s' } as const;

describeEach('workers that are killed in the middle of a group of 300 jobs', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  async function runs(): Promise<number[]> {
    const rows = (await bench.dataSource.query('SELECT job FROM run')) as { job: number }[];
    return rows.map(({ job }) => job);
  }

  test('its callbacks are triggered once, when all members have ended', async () => {
    const group = await bench.queue.groups.enqueue({
      // The last ones end only on request, so that no process is killed too late.
      jobs: Array.from({ length: MEMBERS }, (_, payload) => ({
        definition: payload < MEMBERS - 3 ? countJob : holdJob,
        payload,
      })),
      onSuccess: { definition: countJob, payload: CALLBACK },
      onFailure: { definition: countJob, payload: CALLBACK + 1 },
      onComplete: { definition: countJob, payload: CALLBACK + 2 },
    });
    for (const reached of [60, 180]) {
      const victim = await bench.startProcess(OPTIONS);
      await waitFor(`${reached} have run`, async () => (await runs()).length >= reached);
      await victim.child.end('SIGKILL');
      expect(await bench.queue.groups.find(group.id)).toMatchObject({ finishedAt: undefined });
    }
    const last = await bench.startProcess(OPTIONS);
    last.release();
    await waitFor('all has ended', () => bench.isEmpty());

    expect(await bench.queue.groups.find(group.id)).toMatchObject({ succeeded: MEMBERS, pending: 0 });
    const members = new Set(group.jobs.map(({ id }) => id));
    expect((await bench.rows(TableQueueMember)).every(({ outcome }) => outcome === 'succeeded')).toBe(true);
    const finished = await bench.finishedJobs();
    const lastEnd = Math.max(...finished.filter(({ id }) => members.has(id)).map(({ finishedAt }) => finishedAt));
    for (const callback of [group.onSuccess, group.onComplete]) {
      const entry = finished.find(({ id }) => id === callback);
      expect(entry).toMatchObject({ state: 'succeeded', attempt: 1 });
      expect(entry!.runAt).toBeGreaterThanOrEqual(lastEnd);
    }
    const ran = await runs();
    expect(new Set(ran).size).toBe(MEMBERS + 2);
    expect(ran.filter((job) => job >= CALLBACK).sort((a, b) => a - b)).toEqual([CALLBACK, CALLBACK + 2]);
  }, 60_000);
});

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { TableQueueGroup, TableQueueMember } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { countJob, idleJob } from '../support/jobs.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

const PROCESSES = 4;

describeEach('groups whose members end in 4 processes at the same time', (engine) => {
  const groups = engine === 'sqlite' ? 8 : 20;
  const members = 20;
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open(engine);
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  test('each callback is released once, after the last member', async () => {
    // Small claims, so that the last members of a group end in different processes, and reapers that look all the time.
    const options = { concurrency: 3, maintenance: { reaper: '50ms' } } as const;
    await Promise.all(Array.from({ length: PROCESSES }, () => bench.startProcess(options)));
    const enqueued = await Promise.all(
      Array.from({ length: groups }, (_, index) =>
        bench.queue.groups.enqueue({
          jobs: Array.from({ length: members }, (__, payload) => ({ definition: idleJob, payload })),
          whenSucceeded: { definition: countJob, payload: index },
          whenDone: { definition: countJob, payload: index },
        }),
      ),
    );
    await waitFor('all has ended', async () => (await bench.liveJobs()).length === 0, 60_000);

    expect((await bench.rows(TableQueueMember)).filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
    expect((await bench.rows(TableQueueGroup)).filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
    const history = new Map((await bench.history()).map((job) => [job.id, job]));
    const owners = new Set<number>();
    for (const { jobs, whenSucceeded, whenDone } of enqueued) {
      const ended = jobs.map(({ id }) => history.get(id)!);
      ended.forEach(({ owner }) => owners.add(owner));
      for (const id of [whenSucceeded, whenDone]) {
        const callback = history.get(id!)!;
        expect(callback).toMatchObject({ state: 'succeeded', attempt: 1 });
        expect(callback.claimedAt).toBeGreaterThanOrEqual(Math.max(...ended.map(({ finishedAt }) => finishedAt)));
      }
    }
    expect(owners.size).toBe(PROCESSES);
    const runs = (await bench.dataSource.query('SELECT job FROM run')) as unknown[];
    expect(runs).toHaveLength(2 * groups);
  }, 120_000);
});

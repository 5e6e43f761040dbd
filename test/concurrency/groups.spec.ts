import { expect, test } from '@jest/globals';
import { TableQueueGroup, TableQueueMember } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { countJob, unevenJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROCESSES = 4;

describeEach('groups whose members end in 4 processes at the same time', (engine) => {
  const groups = engine === 'sqlite' ? 8 : 20;
  const members = 20;
  const bench = useWorkbench(engine);

  test('each callback is released once, after the last member', async () => {
    // Small claims, so that the last members of a group end in different processes, and reapers that look all the time.
    const options = { concurrency: 3, maintenance: { reaper: '50ms' } } as const;
    await Promise.all(Array.from({ length: PROCESSES }, () => bench.startProcess(options)));
    const enqueue = (index: number) =>
      bench.queue.groups.enqueue({
        jobs: Array.from({ length: members }, (_, payload) => ({ definition: unevenJob, payload })),
        onSuccess: { definition: countJob, payload: index },
        onComplete: { definition: countJob, payload: index },
      });
    const enqueued: Awaited<ReturnType<typeof enqueue>>[] = [];
    // A process that gets no turn while there are jobs proves nothing: then there are more.
    const finished = await waitFor(
      'all processes have taken part',
      async () => {
        enqueued.push(...(await Promise.all(Array.from({ length: groups }, (_, index) => enqueue(index)))));
        await waitFor('all has ended', () => bench.isEmpty(), 60_000);
        const rows = await bench.finishedJobs();
        return new Set(rows.map(({ owner }) => owner)).size === PROCESSES && new Map(rows.map((row) => [row.id, row]));
      },
      60_000,
    );

    expect((await bench.rows(TableQueueMember)).filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
    expect((await bench.rows(TableQueueGroup)).filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
    for (const { jobs, onSuccess, onComplete } of enqueued) {
      const ended = jobs.map(({ id }) => finished.get(id)!);
      for (const id of [onSuccess, onComplete]) {
        const callback = finished.get(id!)!;
        expect(callback).toMatchObject({ state: 'succeeded', attempt: 1 });
        // When it was released: it may have been claimed later, behind other members.
        expect(callback.runAt).toBeGreaterThanOrEqual(Math.max(...ended.map(({ finishedAt }) => finishedAt)));
      }
    }
    const runs = (await bench.dataSource.query('SELECT job FROM run')) as unknown[];
    expect(runs).toHaveLength(2 * enqueued.length);
  }, 120_000);
});

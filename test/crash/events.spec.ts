import { expect, test } from '@jest/globals';
import { TableQueueJob } from '@tablequeue/typeorm';
import { Not } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { EVENTS, jobsBySubscription, manyHandlers, paid, register } from '../support/events.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const SUBSCRIPTIONS = 10_000;
/** How many kills must hit a fan-out. */
const HITS = 3;
const OPTIONS = { lease: '2s', pollInterval: '50ms' } as const;

describeEach('a worker process that is killed while it fans events out to 10,000 subscriptions', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  test('each subscription has one job for each event in the end', async () => {
    await register((handlers) => bench.worker(handlers), manyHandlers(SUBSCRIPTIONS));
    const jobs = bench.dataSource.getRepository(TableQueueJob);
    const stored = () => jobs.countBy({ queue: Not(EVENTS) });
    let published = 0;
    let hits = 0;
    // A fast process can end its fan-out before it is killed.
    while (hits < HITS) {
      await bench.queue.publish(paid, { order: published++ });
      const before = await stored();
      const victim = await bench.startProcess(OPTIONS, { EVENTS: '1' });
      await waitFor('it has stored a part', async () => (await stored()) > before, 60_000);
      await victim.child.end('SIGKILL');
      // In the middle of a fan-out, whose first parts stay.
      if ((await stored()) % SUBSCRIPTIONS !== 0) {
        hits++;
      }
    }
    await bench.startProcess(OPTIONS, { EVENTS: '1' });
    await waitFor(
      'all events are fanned out',
      async () => (await jobs.countBy({ queue: EVENTS, state: 'succeeded' })) === published,
      60_000,
    );
    const counts = await jobsBySubscription(bench.dataSource);
    expect(counts.size).toBe(SUBSCRIPTIONS * published);
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
    const events = await jobs.findBy({ queue: EVENTS });
    expect(events.some(({ attempt, crashes }) => attempt > 1 || crashes > 0)).toBe(true);
    expect(events.map(({ result }) => JSON.parse(result ?? 'null') as unknown)).toEqual(
      events.map(() => ({ jobs: SUBSCRIPTIONS, upTo: SUBSCRIPTIONS })),
    );
  }, 240_000);
});

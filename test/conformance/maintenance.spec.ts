import { expect, test } from '@jest/globals';
import { defineJob, fixed, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

describeEach('maintenance', (engine) => {
  const bench = useWorkbench(engine);

  test('one process at a time is the leader of a task', async () => {
    const workers = await Promise.all([bench.work([]), bench.work([]), bench.work([])]);
    const first = await Promise.all(workers.map(({ retrier }) => retrier.runIfDue(3_600_000)));
    expect(first.filter((result) => result !== undefined)).toHaveLength(1);
    const again = await Promise.all(workers.map(({ retrier }) => retrier.runIfDue(3_600_000)));
    expect(again.filter((result) => result !== undefined)).toHaveLength(0);
    bench.clock.advance('1h');
    const later = await Promise.all(workers.map(({ retrier }) => retrier.runIfDue(3_600_000)));
    expect(later.filter((result) => result !== undefined)).toHaveLength(1);
  });

  test('a worker retries due jobs, unless maintenance is false', async () => {
    const flaky = defineJob('flaky', { retry: { attempts: 3, backoff: fixed('1ms') } });
    let runs = 0;
    await bench.work(
      [
        jobHandler(flaky, () => {
          if (++runs < 3) {
            throw new Error('not yet');
          }
        }),
      ],
      { maintenance: { retrier: '20ms', reaper: '20ms' } },
    );
    const { id } = await bench.queue.enqueue(flaky);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 3, failures: 2 });
    await bench.stopWorkers();
    expect(bench.logger.lines).toEqual([]);
  });
});

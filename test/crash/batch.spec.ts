import { expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { batchJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const NUMBERS = [0, 1, 2, 3, 4, 5];

describeEach('a worker that is killed in the middle of a batch', (engine) => {
  const bench = useWorkbench(engine);

  test('leaves the jobs without an outcome to others', async () => {
    const jobs = await bench.queue.enqueueMany(
      batchJob,
      NUMBERS.map((payload) => ({ payload })),
    );
    const statesOf = () => Promise.all(jobs.map(async ({ id }) => (await bench.queue.find(id))?.state));
    const options = { lease: 10_000, deadWorkerGracePeriod: 200 };
    const first = await bench.startProcess(options);
    await waitFor('the even ones have ended', async () => {
      return (await statesOf()).every((state, number) => (state === 'succeeded') === (number % 2 === 0));
    });
    expect(first.reported.batch).toEqual(NUMBERS);
    await first.child.end('SIGKILL');
    expect(await statesOf()).toEqual(['succeeded', 'running', 'succeeded', 'running', 'succeeded', 'running']);

    const second = await bench.startProcess(options);
    second.release();
    await waitFor('all have ended', async () => (await statesOf()).every((state) => state === 'succeeded'));
    expect(second.reported.batch).toEqual([1, 3, 5]);
    for (const [number, { id }] of jobs.entries()) {
      expect(await bench.queue.find(id)).toMatchObject({ attempt: number % 2 === 0 ? 1 : 2, failures: 0 });
    }
    const runs = (await bench.dataSource.query('SELECT job FROM run')) as { job: number }[];
    expect(runs.map(({ job }) => job).sort((a, b) => a - b)).toEqual(NUMBERS);
  });
});

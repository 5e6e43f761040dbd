import { expect, test } from '@jest/globals';
import { TableQueueStep } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { STEPS, stepsJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const JOBS = 4;
const OPTIONS = { concurrency: JOBS, lease: '10s' } as const;

describeEach('a worker process that is killed in the middle of steps that run at once', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'database' });

  test('another one runs those that are not recorded, and no other', async () => {
    const victim = await bench.startProcess(OPTIONS);
    await bench.queue.enqueueMany(
      stepsJob,
      Array.from({ length: JOBS }, (_, payload) => ({ payload })),
    );
    await waitFor('half of the steps are recorded', async () => {
      return (await bench.rows(TableQueueStep)).length > (JOBS * STEPS) / 2;
    });
    await victim.child.end('SIGKILL');
    await bench.startProcess(OPTIONS);
    await waitFor('all jobs have ended', async () => (await bench.countFinished()) === JOBS);

    const finished = await bench.finishedJobs();
    expect(
      finished.every(({ state, attempt, failures }) => state === 'succeeded' && attempt === 2 && failures === 0),
    ).toBe(true);
    const numbers = new Map(finished.map(({ id, payload }) => [id, Number(payload)]));
    const runs = (await bench.dataSource.query('SELECT job FROM run')) as { job: number }[];
    const steps = (await bench.rows(TableQueueStep)).map(({ jobId, name, state, attempt }) => {
      const number = numbers.get(jobId)! * STEPS + Number(name.slice('step '.length));
      return { state, attempt, runs: runs.filter(({ job }) => job === number).length };
    });
    expect(steps).toHaveLength(JOBS * STEPS);
    expect(steps.every(({ state }) => state === 'done')).toBe(true);
    const [before, after] = [1, 2].map((attempt) => steps.filter((step) => step.attempt === attempt));
    expect(before!.length).toBeGreaterThan((JOBS * STEPS) / 2);
    expect(before!.every((step) => step.runs === 1)).toBe(true);
    expect(after!.length).toBeGreaterThan(0);
    // Once by the killed process, unless it had not started; and once more.
    expect(after!.every((step) => step.runs === 1 || step.runs === 2)).toBe(true);
  });
});

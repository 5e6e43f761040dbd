import { beforeEach, expect, test } from '@jest/globals';

import type { Engine } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { holdJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { WorkerProcess } from '../support/worker-process.js';

const JOBS = 100;
const OPTIONS = { concurrency: JOBS, lease: '10s' } as const;

/** Two processes: the first one holds 100 jobs when the test begins. */
function victimAndHeir(engine: Engine) {
  const bench = useWorkbench(engine, { isolation: 'database' });
  let victim: WorkerProcess;
  let heir: WorkerProcess | undefined;
  beforeEach(async () => {
    heir = undefined;
    victim = await bench.startProcess(OPTIONS);
    await bench.queue.enqueueMany(
      holdJob,
      Array.from({ length: JOBS }, (_, payload) => ({ payload })),
    );
    await waitFor('it runs all of them', () => victim.reported.held === JOBS);
  });

  async function finishedByHeir(): Promise<void> {
    heir = await bench.startProcess(OPTIONS);
    await waitFor('the other worker has all of them', () => heir?.reported.held === JOBS);
    heir.release();
    await waitFor('they have ended', async () => (await bench.countFinished()) === JOBS);
  }

  async function expectOneEndForEach(): Promise<void> {
    const finished = await bench.finishedJobs();
    expect(
      finished.every(({ state, attempt, failures }) => state === 'succeeded' && attempt === 2 && failures === 0),
    ).toBe(true);
    expect(await bench.liveJobs()).toEqual([]);
  }

  return { bench: () => bench, victim: () => victim, finishedByHeir, expectOneEndForEach };
}

describeEach('a worker process that is killed in the middle of 100 jobs', (engine) => {
  const { bench, victim, finishedByHeir, expectOneEndForEach } = victimAndHeir(engine);

  test('all of them finish on another worker', async () => {
    await victim().child.end('SIGKILL');
    await finishedByHeir();
    await expectOneEndForEach();
    const [row] = (await bench().dataSource.query('SELECT COUNT(*) AS runs FROM run')) as { runs: string }[];
    expect(Number(row?.runs)).toBe(JOBS);
  });
});

describeEach(
  'a worker process that is stopped for longer than its lease, and woken up',
  (engine) => {
    const { bench, victim, finishedByHeir, expectOneEndForEach } = victimAndHeir(engine);

    test('its late completions change nothing', async () => {
      victim().child.signal('SIGSTOP');
      await finishedByHeir();
      const before = await bench().finishedJobs();
      // Its handlers end now, and it tries to complete all of its jobs.
      victim().release();
      victim().child.signal('SIGCONT');
      await waitFor('it has reported that it lost them', () => victim().reported.lost === JOBS);
      expect(await bench().finishedJobs()).toEqual(before);
      await expectOneEndForEach();
    });
  },
  // Not on SQLite: a process that is stopped while it holds the lock of the file stops all others, whatever they do.
  ['mariadb', 'mysql'],
);

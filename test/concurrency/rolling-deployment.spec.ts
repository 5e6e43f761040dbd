import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Retrier } from '@tablequeue/typeorm';

import { ChildProcess } from '../support/child-process.js';
import { type DeploymentConfig, deployedJobs } from '../support/deployment.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

const PROGRAM = new URL('../dist/processes/deployment.js', import.meta.url);
/** Jobs of version 1 have smaller numbers. */
const FIRST_OF_VERSION_2 = 1_000;
const JOBS = 60;

describeEach('a rolling deployment', (engine) => {
  let bench: Workbench;
  const processes: ChildProcess[] = [];
  beforeEach(async () => {
    bench = await Workbench.open(engine);
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.end('SIGKILL')));
    await bench.close();
  });

  /** A started process, and what it has told. */
  async function start(version: 1 | 2) {
    const config: DeploymentConfig = { engine, url: bench.database.url, version };
    const child = ChildProcess.start(PROGRAM, { CONFIG: JSON.stringify(config) });
    processes.push(child);
    const told: { started?: boolean; left?: number; reason?: string } = {};
    child.onMessage((message) => Object.assign(told, message));
    await waitFor(`the process of version ${version} has started`, () => told.started, 60_000);
    return { child, told };
  }

  const numbers = (from: number) => Array.from({ length: JOBS }, (_, index) => from + index);

  test('an older and a newer process side by side run every job, each only what it can read', async () => {
    const older = await start(1);
    await bench.queue.enqueueMany(
      deployedJobs[2],
      numbers(FIRST_OF_VERSION_2).map((number) => ({ payload: { number } })),
    );
    await waitFor('the older process has left all of them', () => older.told.left === JOBS);
    const newer = await start(2);
    const ofVersion1 = numbers(0);
    const retrier = new Retrier(bench.queue.engine);
    // Both versions at once, and the waits of those that were left are over again and again: both processes claim them.
    bench.clock.advance('1h');
    await waitFor(
      'all jobs have ended',
      async () => {
        const batch = ofVersion1.splice(0, 10);
        await bench.queue.enqueueMany(
          deployedJobs[1],
          batch.map((payload) => ({ payload })),
        );
        await retrier.runOnce();
        return ofVersion1.length === 0 && (await bench.liveJobs()).length === 0;
      },
      60_000,
    );

    expect(older.told.reason).toBe('newer-payload');
    expect(newer.told.left).toBeUndefined();
    const history = await bench.history();
    expect(history).toHaveLength(2 * JOBS);
    expect(history.every(({ state, failures }) => state === 'succeeded' && failures === 0)).toBe(true);
    const runs = (await bench.dataSource.query('SELECT job, process FROM run')) as { job: number; process: number }[];
    expect(new Set(runs.map(({ job }) => job)).size).toBe(2 * JOBS);
    expect(runs).toHaveLength(2 * JOBS);
    expect(runs.filter(({ job, process }) => process === 1 && job >= FIRST_OF_VERSION_2)).toEqual([]);
    expect(runs.filter(({ process }) => process === 1).length).toBeGreaterThan(0);
    // The newer one also reads what is old.
    expect(runs.some(({ job, process }) => process === 2 && job < FIRST_OF_VERSION_2)).toBe(true);
  });
});

import { afterEach, expect, test } from '@jest/globals';
import { Retrier } from '@tablequeue/typeorm/internal';

import { ChildProcess } from '../support/child-process.js';
import { type DeploymentConfig, deployedJobs } from '../support/deployment.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const PROGRAM = new URL('../dist/processes/deployment.js', import.meta.url);
/** Jobs of version 1 have smaller numbers. */
const FIRST_OF_VERSION_2 = 1_000;
const JOBS = 40;

describeEach('a rolling deployment', (engine) => {
  const processes: ChildProcess[] = [];
  afterEach(() => Promise.all(processes.splice(0).map((process) => process.end('SIGKILL'))));
  const bench = useWorkbench(engine, { isolation: 'database' });

  /** A started process and its reports. */
  async function start(version: 1 | 2) {
    const config: DeploymentConfig = { engine, url: bench.database.url, version };
    const child = ChildProcess.start(PROGRAM, { CONFIG: JSON.stringify(config) });
    processes.push(child);
    const reported: { started?: boolean; left?: number; reason?: string } = {};
    child.onMessage((message) => Object.assign(reported, message));
    await waitFor(`the process of version ${version} has started`, () => reported.started, 60_000);
    return { child, reported };
  }

  let enqueued = 0;
  /** Stores some jobs, each with a number of its own. */
  async function enqueue(version: 1 | 2, count: number): Promise<void> {
    const numbers = Array.from({ length: count }, () => enqueued++);
    await (version === 1
      ? bench.queue.enqueueMany(
          deployedJobs[1],
          numbers.map((payload) => ({ payload })),
        )
      : bench.queue.enqueueMany(
          deployedJobs[2],
          numbers.map((number) => ({ payload: { number: FIRST_OF_VERSION_2 + number } })),
        ));
  }

  test('older and newer processes side by side run every job, each only what it can read', async () => {
    const older = await start(1);
    await enqueue(2, JOBS);
    await enqueue(1, JOBS);
    await waitFor('the older process has left those of version 2', () => older.reported.left === JOBS);
    await waitFor('and run those of version 1', async () => (await bench.countFinished()) === JOBS);

    const newer = await start(2);
    // The waits of unhandled jobs end again and again, so both processes claim jobs of both versions.
    const retrier = new Retrier(bench.queue.engine);
    bench.clock.advance('1h');
    for (let round = 0; round < 5; round++) {
      await enqueue(2, 10);
      await enqueue(1, 10);
      await retrier.runOnce();
      await waitFor('something of it has ended', async () => (await bench.countFinished()) >= JOBS + 10 * (round + 1));
    }
    await older.child.end('SIGTERM');
    // By now only the newer process is there to run what is old.
    await enqueue(1, 10);
    await waitFor('all have ended', async () => {
      await retrier.runOnce();
      return (await bench.countFinished()) === enqueued;
    });

    expect(older.reported.reason).toBe('newer-payload');
    expect(newer.reported.left).toBeUndefined();
    const finished = await bench.finishedJobs();
    expect(finished.every(({ state, failures }) => state === 'succeeded' && failures === 0)).toBe(true);
    const runs = (await bench.dataSource.query('SELECT job, process FROM run')) as { job: number; process: 1 | 2 }[];
    expect(runs).toHaveLength(enqueued);
    expect(new Set(runs.map(({ job }) => job)).size).toBe(enqueued);
    expect(runs.filter(({ job, process }) => process === 1 && job >= FIRST_OF_VERSION_2)).toEqual([]);
  });
});

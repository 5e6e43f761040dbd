import { expect, test } from '@jest/globals';
import { jobHandler } from '@tablequeue/typeorm';
import { TableQueueUnique } from '@tablequeue/typeorm/internal';

import { ChildProcess } from '../support/child-process.js';
import { describeEach } from '../support/each-engine.js';
import { type EnqueuingConfig, uniqueJob } from '../support/enqueuing.js';
import { holdJob } from '../support/jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const ENQUEUER = new URL('../dist/processes/enqueuer.js', import.meta.url);

describeEach('unique jobs of processes that are killed', (engine) => {
  const bench = useWorkbench(engine);

  test('enqueuers leave no key without its job, and no job without its key', async () => {
    const config: EnqueuingConfig = { engine, url: bench.database.url, keys: 10, rounds: 1_000_000 };
    const processes = Array.from({ length: 4 }, () => {
      return ChildProcess.start(ENQUEUER, { CONFIG: JSON.stringify(config) });
    });
    await Promise.all(processes.map((process) => process.nextMessage()));
    const worker = await bench.work([jobHandler(uniqueJob, () => undefined)]);
    let ended = 0;
    worker.events.on('succeeded', () => ended++);
    processes.forEach((process) => process.send('begin'));
    for (const [index, process] of processes.entries()) {
      const seen = ended;
      await waitFor(`jobs run before process ${index} is killed`, () => ended > seen + 20, 60_000);
      await process.end('SIGKILL');
    }
    await waitFor('all jobs have ended', () => bench.isEmpty());
    expect(await bench.rows(TableQueueUnique)).toEqual([]);
    expect(processes.map(({ output }) => output).join('')).toBe('');
  }, 120_000);

  test('a worker leaves the key with its job, and the next worker to run it frees the key', async () => {
    const victim = await bench.startProcess({ lease: '2s' });
    const unique = { key: 'k' };
    const { id } = await bench.queue.enqueue(holdJob, 1, { unique });
    await waitFor('it runs', () => victim.reported.held === 1);
    await victim.child.end('SIGKILL');
    expect(await bench.queue.enqueue(holdJob, 2, { unique })).toMatchObject({ id, created: false });
    const heir = await bench.startProcess({ lease: '2s' });
    await waitFor('it runs again', () => heir.reported.held === 1);
    expect(await bench.queue.enqueue(holdJob, 3, { unique })).toMatchObject({ id, created: false });
    heir.release();
    await bench.untilJobIs(id, 'succeeded');
    expect(await bench.queue.enqueue(holdJob, 4, { unique })).toMatchObject({ created: true });
  });
});

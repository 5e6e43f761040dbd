import { expect, test } from '@jest/globals';
import { batchHandler, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { TableQueueLogRow } from '@tablequeue/typeorm/internal';

import { describeOnOlderToo } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const held = defineJob('held');
const flaky = defineJob('flaky', { retry: { attempts: 2, backoff: fixed(0) } });
const loop = defineJob('loop');
const left = defineJob('left', { keep: 'none', retry: { attempts: 2, backoff: fixed(0) } });
const each = defineJob<number>('each');

describeOnOlderToo('logs of jobs', (engine) => {
  const bench = useWorkbench(engine);

  const linesOf = async (id: string) =>
    (await bench.queue.jobs.logs(id)).map(({ attempt, level, message, fields }) => ({
      attempt,
      level,
      message,
      fields,
    }));
  const rows = () => bench.dataSource.getRepository(TableQueueLogRow).count();

  test('are read while the job runs, and complete when it has ended', async () => {
    const { runs, handler } = heldHandler(held);
    await bench.work([handler]);
    const { id } = await bench.queue.enqueue(held);
    await waitFor('it runs', () => runs.length === 1);
    const { log } = runs[0]!.job;
    log.info('half', { done: 1, of: 2 });
    await waitFor('the line is stored', async () => (await linesOf(id)).length === 1);
    log.warn('nearly');
    runs[0]!.end();
    await bench.untilJobIs(id, 'succeeded');
    expect(await linesOf(id)).toEqual([
      { attempt: 1, level: 'info', message: 'half', fields: { done: 1, of: 2 } },
      { attempt: 1, level: 'warn', message: 'nearly', fields: undefined },
    ]);
    const [first, second] = await bench.queue.jobs.logs(id);
    expect(await bench.queue.jobs.logs(id, { after: first })).toEqual([second]);
    expect(await bench.queue.jobs.logs(id, { limit: 1 })).toEqual([first]);
    expect(second!.loggedAt.getTime()).toBeGreaterThanOrEqual(first!.loggedAt.getTime());
  });

  test('have the lines of each attempt, and are deleted with their job', async () => {
    await bench.work([
      jobHandler(flaky, (_payload, { attempt, log }) => {
        log.error('on the way', { attempt });
        if (attempt === 1) {
          throw new Error('once');
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(flaky);
    await bench.untilJobIs(id, 'succeeded');
    expect((await linesOf(id)).map(({ attempt, fields }) => [attempt, fields])).toEqual([
      [1, { attempt: 1 }],
      [2, { attempt: 2 }],
    ]);
    await bench.queue.prune(0);
    expect(await rows()).toBe(0);
  });

  test('of a job that is not kept go with it, those of its failed attempts too', async () => {
    await bench.work([
      jobHandler(left, (_payload, { attempt, log }) => {
        log.info('working');
        if (attempt === 1) {
          throw new Error('once');
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(left);
    await waitFor('it is gone', async () => (await bench.queue.find(id)) === undefined);
    expect(await rows()).toBe(0);
  });

  test('keep the first 1,000 lines of an attempt, and count the others', async () => {
    await bench.work([
      jobHandler(loop, (_payload, { log }) => {
        for (let line = 1; line <= 3_000; line++) {
          log.debug(`line ${line}`);
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(loop);
    await bench.untilJobIs(id, 'succeeded');
    const lines = await bench.queue.jobs.logs(id, { limit: 10_000 });
    expect(lines).toHaveLength(1_001);
    expect(lines[999]).toMatchObject({ message: 'line 1000', dropped: 0 });
    expect(lines[1_000]).toMatchObject({ level: 'warn', dropped: 2_000 });
    expect(lines[1_000]!.message).toMatch(/^2000 more lines were dropped/);
  });

  test('each job of a batch has its own', async () => {
    await bench.work([batchHandler(each, (jobs) => jobs.forEach(({ log, payload }) => log.info(`job ${payload}`)))]);
    const jobs = await bench.queue.enqueueMany(each, [{ payload: 1 }, { payload: 2 }]);
    for (const [index, { id }] of jobs.entries()) {
      await bench.untilJobIs(id, 'succeeded');
      expect((await linesOf(id)).map(({ message }) => message)).toEqual([`job ${index + 1}`]);
    }
  });
});

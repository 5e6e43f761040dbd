import { expect, test } from '@jest/globals';
import { defineJob, fixed, jobHandler, transactionalHandler } from '@tablequeue/typeorm';
import { TableQueueLogRow } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const held = defineJob('held');
const slow = defineJob('slow', { timeout: '100ms', retry: { attempts: 2, backoff: fixed('1h') } });
const left = defineJob('left', { keep: 'none' });
const booking = defineJob('booking', { retry: { attempts: 1 } });
const durable = defineJob('durable');

describeEach('lines that are logged late', (engine) => {
  const bench = useWorkbench(engine);

  const linesOf = async (id: string) =>
    (await bench.queue.jobs.logs(id)).map(({ attempt, message }) => `${attempt} ${message}`);

  async function running(definition = held) {
    const { runs, handler } = heldHandler(definition);
    const worker = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(definition);
    await waitFor('it runs', () => runs.length === 1);
    return { id, run: runs[0]!, worker };
  }

  test('after a timeout are kept with their attempt', async () => {
    const { id, run } = await running(slow);
    run.job.log.info('before');
    await bench.untilJobIs(id, 'scheduled');
    run.job.log.info('after');
    run.end();
    await waitFor('both are stored', async () => (await linesOf(id)).length === 2);
    expect(await linesOf(id)).toEqual(['1 before', '1 after']);
  });

  test('after a cancellation are kept', async () => {
    const { id, run } = await running();
    await bench.queue.cancel(id);
    await waitFor('it is aborted', () => run.job.signal.aborted);
    run.job.log.warn('cleaning up');
    run.fail(new Error('cancelled'));
    await bench.untilJobIs(id, 'cancelled');
    expect(await linesOf(id)).toEqual(['1 cleaning up']);
  });

  test('of an attempt that has lost its job are kept beside those of the next', async () => {
    const { id, run, worker } = await running();
    await worker.stopClaiming();
    await bench.dataSource.query("UPDATE tq_job SET owner = 0, lane = 0, state = 'ready'");
    await bench.work([jobHandler(held, (_payload, { log }) => log.info('second'))]);
    await bench.untilJobIs(id, 'succeeded');
    run.job.log.info('from the dead');
    run.end();
    await waitFor('its worker has noticed', () => worker.activeJobs === 0);
    expect(await linesOf(id)).toEqual(['1 from the dead', '2 second']);
  });

  test('of a job that is deleted leave nothing', async () => {
    let lateLog: ((message: string) => void) | undefined;
    await bench.work([
      jobHandler(left, (_payload, { log: { info } }) => {
        info('in time');
        lateLog = info;
      }),
      jobHandler(held, (_payload, { log }) => log.info('later')),
    ]);
    const { id } = await bench.queue.enqueue(left);
    await waitFor('it is gone', async () => lateLog && (await bench.queue.find(id)) === undefined);
    lateLog!('late');
    const other = await bench.queue.enqueue(held);
    await bench.untilJobIs(other.id, 'succeeded');
    expect(await linesOf(other.id)).toEqual(['1 later']);
    expect(await bench.dataSource.getRepository(TableQueueLogRow).count()).toBe(1);
  });

  test('are stored when the worker stops, and dropped after it', async () => {
    const { id, run, worker } = await running(slow);
    await bench.untilJobIs(id, 'scheduled');
    run.job.log.info('in time');
    await worker.stop();
    run.job.log.info('too late');
    run.end();
    expect(await linesOf(id)).toEqual(['1 in time']);
  });

  test('of a transaction that is rolled back are kept', async () => {
    await bench.work([
      transactionalHandler(booking, (_payload, { log }) => {
        log.info('booked');
        throw new Error('no seat');
      }),
    ]);
    const { id } = await bench.queue.enqueue(booking);
    await bench.untilJobIs(id, 'failed');
    expect(await linesOf(id)).toEqual(['1 booked']);
  });

  test('of a durable job come with the number of each run', async () => {
    await bench.work([
      jobHandler(durable, async (_payload, job) => {
        job.log.info('from the top');
        await job.sleep(1);
        job.log.info('awake');
      }),
    ]);
    const { id } = await bench.queue.enqueue(durable);
    await bench.untilJobIs(id, 'succeeded');
    expect(await linesOf(id)).toEqual(['1 from the top', '2 from the top', '2 awake']);
  });

  test('logs whose job was deleted by other SQL are deleted by the pruner', async () => {
    const { id, run, worker } = await running();
    run.job.log.info('stored');
    run.end();
    await bench.untilJobIs(id, 'succeeded');
    await bench.dataSource.query('DELETE FROM tq_job');
    await worker.pruner.runOnce();
    expect(await linesOf(id)).toEqual([]);
  });
});

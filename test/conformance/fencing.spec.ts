import { expect, test } from '@jest/globals';
import {
  DataSourceNotInitializedError,
  DatabaseUnavailableError,
  LeaseLostError,
  TableQueue,
  TableQueueWorker,
  WorkerStoppingError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { sessionsOf } from '../support/sessions.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

type Engine = TableQueue['engine'];

const long = defineJob('long');
const forgotten = defineJob('forgotten', { keep: 'none' });

describeEach('fencing', (engine) => {
  const bench = useWorkbench(engine);

  /** Two workers; the first has lost its job to the second, and both still run it. */
  async function takenOver() {
    const first = heldHandler(long);
    const second = heldHandler(long);
    const lost: string[] = [];
    const firstWorker = await bench.work([first.handler], { lease: '30s' });
    firstWorker.events.on('lost', ({ id }) => lost.push(id));
    const { id } = await bench.queue.enqueue(long);
    await waitFor('the first worker runs it', () => first.runs.length === 1);
    await firstWorker.stopClaiming();

    bench.clock.advance('31s');
    const secondWorker = await bench.work([second.handler]);
    expect(await secondWorker.reaper.runOnce()).toMatchObject({ returned: 1, workers: 1, cancelled: 0 });
    await waitFor('the second worker runs it', () => second.runs.length === 1);
    return { id, first: first.runs[0]!, second: second.runs[0]!, lost };
  }

  test('a late success of a worker that lost its lease changes nothing', async () => {
    const { id, first, second, lost } = await takenOver();
    first.end('from the dead');
    await waitFor('it reports that it lost the job', () => lost.length === 1);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'running', attempt: 2, failures: 0 });
    second.end('from the living');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, result: 'from the living' });
  });

  test('a late failure changes nothing either', async () => {
    const { id, first, second, lost } = await takenOver();
    first.fail(new Error('from the dead'));
    await waitFor('it reports that it lost the job', () => lost.length === 1);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'running', attempt: 2, failures: 0, error: undefined });
    second.end();
    await bench.untilJobIs(id, 'succeeded');
  });

  test('a late success after the other has finished leaves one outcome', async () => {
    const { id, first, second, lost } = await takenOver();
    second.end('from the living');
    await bench.untilJobIs(id, 'succeeded');
    first.end('from the dead');
    await waitFor('it reports that it lost the job', () => lost.length === 1);
    expect(await bench.queue.find(id)).toMatchObject({ attempt: 2, result: 'from the living' });
  });

  test('a late success of a job that is ready in a lane with the number of the worker is lost too', async () => {
    const { runs, handler } = heldHandler(long);
    const lost: string[] = [];
    const worker = await bench.work([handler]);
    worker.events.on('lost', ({ id }) => lost.push(id));
    const { id } = await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    await worker.stopClaiming();
    await bench.dataSource.query("UPDATE tq_job SET state = 'ready', lane = owner");
    runs[0]!.end();
    await waitFor('it reports that it lost the job', () => lost.length === 1);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', attempt: 1 });
  });

  test('the reaper leaves a worker with a lease alone', async () => {
    const { runs, handler } = heldHandler(long);
    const worker = await bench.work([handler], { lease: '30s' });
    const { id } = await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    bench.clock.advance('20s');
    expect(await worker.reaper.runOnce()).toMatchObject({ returned: 0, workers: 0, cancelled: 0 });
    runs[0]!.end();
    await bench.untilJobIs(id, 'succeeded');
  });

  test('jobs of a worker that is not even registered any more are freed', async () => {
    const { id } = await bench.queue.enqueue(long);
    await bench.dataSource.query(
      "UPDATE tq_job SET state = 'running', owner = 4242, lane = 4242, position = 1, attempt = 1",
    );
    const worker = await bench.work([]);
    expect(await worker.reaper.runOnce()).toMatchObject({ returned: 1, workers: 0, cancelled: 0 });
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', attempt: 1, failures: 0 });
  });

  /** A worker that has lost its lease and its job, has taken that again as another worker, and runs it twice. */
  async function takenAgain() {
    const { runs, handler } = heldHandler(long);
    const worker = await bench.work([handler], { lease: '6s' });
    const { id } = await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    const [before] = (await bench.dataSource.query('SELECT id FROM tq_worker')) as { id: number }[];
    await bench.dataSource.query('UPDATE tq_worker SET lease_until = 0');
    await waitFor('the handler is aborted', () => runs[0]!.job.signal.aborted);
    await worker.reaper.runOnce();
    await waitFor('it takes its own job again, as another worker', () => runs.length === 2);
    return { id, first: runs[0]!, second: runs[1]!, workerBefore: before!.id };
  }

  test('a worker whose lease has expired aborts its handlers and continues with a new id', async () => {
    const { id, first, second, workerBefore } = await takenAgain();
    expect(first.job.signal.reason).toBeInstanceOf(LeaseLostError);
    const after = (await bench.dataSource.query('SELECT id FROM tq_worker')) as { id: number }[];
    expect(after).toHaveLength(1);
    expect(after[0]!.id).not.toBe(workerBefore);
    expect(second.job.attempt).toBe(2);
    first.end();
    second.end();
    await bench.untilJobIs(id, 'succeeded');
  });

  test('of two attempts of a job that end at the same time, the current one stores its result', async () => {
    const { id, first, second } = await takenAgain();
    second.end('from the living');
    first.end('from the dead');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, result: 'from the living' });
  });

  test('a job with keep: none is not reported as lost after a COMMIT without an answer', async () => {
    const unanswered = ['finish jobs'];
    const dedicated = (patience: number): Engine => {
      const own = bench.queue.engine.dedicated(patience);
      const execute: Engine['execute'] = async (operation, options) => {
        const result = await own.execute(operation, options);
        if (options.purpose === unanswered[0]) {
          throw new DatabaseUnavailableError(unanswered.pop()!, new Error('no answer'));
        }
        return result;
      };
      return Object.create(own, { execute: { value: execute } }) as Engine;
    };
    const engine = Object.create(bench.queue.engine, { dedicated: { value: dedicated } }) as Engine;
    const queue = Object.create(bench.queue, { engine: { value: engine } }) as TableQueue;
    const worker = new TableQueueWorker(queue, [jobHandler(forgotten, () => undefined)], { logger: bench.logger });
    const received: string[] = [];
    for (const event of ['succeeded', 'lost'] as const) {
      worker.events.on(event, () => received.push(event));
    }
    await worker.start();
    await bench.queue.enqueueMany(forgotten, [{}, {}]);
    await waitFor('both are reported', () => received.length === 2);
    expect(received).toEqual(['succeeded', 'succeeded']);
    expect(unanswered).toEqual([]);
    expect([...(await bench.liveJobs()), ...(await bench.finishedJobs())]).toEqual([]);
    await worker.stop();
  });

  test('stopping waits for handlers, up to the deadline, and hands the rest back uncharged', async () => {
    const { runs, handler } = heldHandler(long);
    const worker = await bench.work([handler], { shutdownTimeout: 0 });
    const { id } = await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    await worker.stop();
    expect(runs[0]!.job.signal.reason).toBeInstanceOf(WorkerStoppingError);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', attempt: 1, failures: 0 });
    runs[0]!.end('too late');
    expect(await bench.finishedJobs()).toEqual([]);
    expect(await bench.dataSource.query('SELECT * FROM tq_worker')).toEqual([]);
  });

  test('stopping lets a running handler end', async () => {
    const { runs, handler } = heldHandler(long);
    const worker = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    const stopped = worker.stop();
    runs[0]!.end('in time');
    await stopped;
    expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded', result: 'in time' });
  });

  test('stopping while the start is under way ends both', async () => {
    const { runs, handler } = heldHandler(long);
    await bench.queue.enqueue(long);
    const worker = bench.worker([handler]);
    const started = worker.start();
    let hasStopped = false;
    const stopped = worker.stop().then(() => (hasStopped = true));
    await started;
    // It may have claimed the job in between.
    await waitFor('it has stopped, or runs the job', () => hasStopped || runs.length > 0);
    runs.forEach((run) => run.end());
    await stopped;
    expect(await bench.dataSource.query('SELECT 1 FROM tq_worker')).toEqual([]);
  });

  test('a data source that was closed and opened again still wakes its worker', async () => {
    const dataSource = await bench.database.connect();
    const queue = new TableQueue(dataSource);
    await dataSource.destroy();
    await expect(queue.enqueue(long)).rejects.toThrow(DataSourceNotInitializedError);
    await dataSource.initialize();
    const done: string[] = [];
    const worker = new TableQueueWorker(queue, [jobHandler(long, (_payload, { id }) => void done.push(id))], {
      pollInterval: '1h',
      logger: bench.logger,
    });
    await worker.start();
    const { id } = await dataSource.transaction((manager) => queue.enqueue(long, undefined, { manager }));
    await waitFor('it has run', () => done.includes(id));
    await worker.stop();
    await dataSource.destroy();
  });
});

describeEach(
  'a claim that is answered late',
  (engine) => {
    const bench = useWorkbench(engine);

    test('starts nothing if the lease was lost meanwhile', async () => {
      const { runs, handler } = heldHandler(long);
      const { id } = await bench.queue.enqueue(long);
      const neighbor = bench.dataSource.createQueryRunner();
      await neighbor.query('LOCK TABLES tq_job READ');
      await bench.work([handler], { lease: '6s' });
      await waitFor('the job was seen, and the claim waits for the lock', async () => {
        const { database } = bench.dataSource.driver;
        const sessions = await sessionsOf(bench.dataSource);
        return sessions.some(({ db, Info }) => db === database && Info?.includes('SKIP LOCKED'));
      });
      await bench.dataSource.query('UPDATE tq_worker SET lease_until = 0');
      await waitFor('the lease is lost', () => bench.logger.lines.some((line) => line.includes('lost its lease')));
      await neighbor.query('UNLOCK TABLES');
      await neighbor.release();
      await waitFor('it runs', () => runs.length > 0);
      // The first claim was taken back; this is the second one, under the new id.
      expect(runs.map(({ job }) => [job.attempt, job.signal.aborted])).toEqual([[2, false]]);
      runs[0]!.end();
      await bench.untilJobIs(id, 'succeeded');
    });
  },
  ['mariadb', 'mysql'],
);

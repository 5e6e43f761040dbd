import { expect, test } from '@jest/globals';
import { JobLockedError, JobStateError, JobStepsError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueStep, uuidToBytes } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { Workbench } from '../support/workbench.js';

const job = defineJob('by-hand');

describeEach('actions on one job, while workers claim', (engine) => {
  const bench = useWorkbench(engine);

  test('a job is either claimed or gets another time', async () => {
    const enqueued = await bench.queue.enqueueMany(
      job,
      Array.from({ length: 60 }, () => ({})),
    );
    const ran = new Set<string>();
    await bench.work([jobHandler(job, (_payload, { id }) => void ran.add(id))], { concurrency: 3 });
    const ids = enqueued.map(({ id }) => id).toReversed();
    const moved = new Set<string>();
    for (const id of ids) {
      try {
        await bench.queue.manual.reschedule(id, { delay: '1h' });
        moved.add(id);
      } catch (error) {
        expect([JobStateError, JobLockedError].some((refusal) => error instanceof refusal)).toBe(true);
      }
    }
    await waitFor('the others have run', () => ran.size === ids.length - moved.size);
    expect(moved.size).toBeGreaterThan(0);
    expect([...moved].filter((id) => ran.has(id))).toEqual([]);
  });
});

describeEach(
  'actions on one job that others change',
  (engine) => {
    const bench = useWorkbench(engine);

    test('a locked row is refused without a wait', async () => {
      const { id } = await bench.queue.enqueue(job);
      const { manual } = bench.queue;
      const holder = bench.dataSource.createQueryRunner();
      await holder.startTransaction();
      await holder.query('SELECT id FROM tq_job WHERE id = ? FOR UPDATE', [uuidToBytes(id)]);
      await expect(manual.reschedule(id, { delay: '1h' })).rejects.toThrow(JobLockedError);
      await expect(manual.delete(id)).rejects.toThrow(JobLockedError);
      // A copy needs no lock.
      await manual.copy(id);
      await holder.rollbackTransaction();
      await holder.release();
      await manual.reschedule(id, { delay: '1h' });
    });

    // At REPEATABLE READ, which is the level of the application, it would read what was there before the lock.
    test('what was committed before the lock counts', async () => {
      const { id } = await bench.queue.enqueue(job);
      const park = () =>
        bench.dataSource.getRepository(TableQueueStep).insert({
          jobId: id,
          kind: 'sleep',
          name: 'pause',
          state: 'open',
          seq: 1,
          attempt: 1,
          dueAt: Date.now() + 60_000,
          recordedAt: Date.now(),
        });
      const reschedule = () => bench.queue.manual.reschedule(id, { delay: '1h' });
      await expect(changedMeanwhile(bench, reschedule, park)).rejects.toThrow(JobStepsError);
    });
  },
  ['mariadb', 'mysql'],
);

/** Starts a call, and changes something when its operation has run its first statement. */
async function changedMeanwhile(
  { queue: { engine }, dataSource }: Workbench,
  call: () => Promise<unknown>,
  change: () => Promise<unknown>,
): Promise<unknown> {
  const name = `tq_pause_${String(dataSource.options.database)}`;
  const holder = dataSource.createQueryRunner();
  await holder.query(`SELECT GET_LOCK('${name}', 5)`);
  const pause = { sql: `SELECT GET_LOCK('${name}', 30) + RELEASE_LOCK('${name}')`, parameters: [], recurs: false };
  const original = engine.execute.bind(engine);
  engine.execute = (factory, options) =>
    original(function* (dialect, again) {
      const operation = factory(dialect, again);
      let step = operation.next();
      for (let isFirst = true; !step.done; isFirst = false) {
        const results = yield step.value;
        if (isFirst) {
          yield [pause as never];
        }
        step = operation.next(results);
      }
      return step.value;
    }, options);
  const result = call();
  engine.execute = original;
  // The caller handles it.
  result.catch(() => undefined);
  const paused = `SELECT id FROM information_schema.processlist WHERE state = 'User lock' AND info LIKE '%${name}%'`;
  await waitFor('it is paused', async () => (await dataSource.query<unknown[]>(paused)).length > 0);
  await change();
  await holder.query(`SELECT RELEASE_LOCK('${name}')`);
  await holder.release();
  return result;
}

import { expect, test } from '@jest/globals';
import { TableQueueJob, UnrecoverableJobError, defineJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { type Change, byAccount, change, orderedJobs } from '../support/ordered-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const skipping = defineJob<Change>('skipping', { order: { by: byAccount, afterFailure: 'continue' } });

describeEach('order keys after a failure or a loss', (engine) => {
  const bench = useWorkbench(engine);
  const { enqueue, enqueueMany, record } = orderedJobs(bench);

  test('a failed job blocks its key until it is retried', async () => {
    let isBroken = true;
    const [first] = await enqueueMany(change, [1, 2]);
    await enqueue(9, 'b');
    const ran = await record(change, (number) => {
      if (number === 1 && isBroken) {
        throw new UnrecoverableJobError('broken');
      }
    });
    await bench.untilJobIs(first!.id, 'failed');
    await waitFor('the other key has run', () => ran.includes(9));
    const third = await enqueue(3);
    expect(await bench.queue.find(third.id)).toMatchObject({ state: 'waiting' });
    isBroken = false;
    expect(await bench.queue.failed.retry(first!.id)).toBe(true);
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran.filter((number) => number !== 9)).toEqual([1, 1, 2, 3]);
  });

  test('a blocked key is listed and reported, and goes on without its failed job', async () => {
    let isBroken = true;
    const [first, second] = await enqueueMany(change, [1, 2]);
    await enqueueMany(change, [3, 4], 'b');
    const ran = await record(change, (number) => {
      if (isBroken && number % 2 === 1) {
        throw new UnrecoverableJobError('broken');
      }
    });
    await waitFor('both keys are blocked', async () => (await bench.queue.jobs.listBlockedKeys()).keys.length === 2);
    const { keys, next } = await bench.queue.jobs.listBlockedKeys({ limit: 1 });
    const blockedAt = expect.any(Date);
    expect((await bench.queue.jobs.listBlockedKeys({ limit: 1, after: next! })).keys).toHaveLength(1);
    const all = await bench.queue.jobs.listBlockedKeys();
    expect(all.keys[0]).toEqual(keys[0]);
    expect(all.keys).toContainEqual({ name: 'change', key: 'a', jobId: first!.id, blockedAt, behind: 1 });
    const order = { key: 'a', head: first!.id, blockedAt };
    expect((await bench.queue.jobs.find(first!.id))?.order).toEqual({ ...order, ahead: undefined });
    expect((await bench.queue.jobs.find(second!.id))?.order).toEqual({ ...order, ahead: 0 });
    const blocked = async () => (await bench.queue.health()).problems.filter(({ kind }) => kind === 'blocked-keys');
    expect(await blocked()).toMatchObject([{ severity: 'warning', count: 2, since: blockedAt }]);

    isBroken = false;
    expect(await bench.queue.jobs.skip([first!.id, second!.id])).toMatchObject({ changed: 1, skipped: 1 });
    await bench.untilJobIs(second!.id, 'succeeded');
    expect(await bench.queue.find(first!.id)).toMatchObject({ state: 'failed' });
    await enqueue(5);
    // Behind those that have been enqueued meanwhile.
    expect(await bench.queue.failed.retry(first!.id)).toBe(true);
    expect(await bench.queue.jobs.skip({ state: 'failed' })).toMatchObject({ changed: 1 });
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran.filter((number) => [1, 2, 5].includes(number))).toEqual([1, 2, 5, 1]);
    expect(await blocked()).toEqual([]);
  });

  test('a key stays blocked when its failed job is pruned, and can be skipped', async () => {
    const [first, second] = await enqueueMany(change, [1, 2]);
    await record(change, (number) => {
      if (number === 1) {
        throw new UnrecoverableJobError('broken');
      }
    });
    await bench.untilJobIs(first!.id, 'failed');
    const { pruner } = await bench.work([], { retention: { failed: { count: 0 } } });
    await pruner.runOnce();
    expect(await bench.queue.find(first!.id)).toBeUndefined();
    expect(await bench.queue.find(second!.id)).toMatchObject({ state: 'waiting' });
    expect(await bench.queue.jobs.skip(first!.id)).toMatchObject({ changed: 1 });
    await bench.untilJobIs(second!.id, 'succeeded');
  });

  test('a bulk deletion leaves a job that has failed again since it began, and its key stays blocked', async () => {
    const [first, second] = await enqueueMany(change, [1, 2]);
    await record(change, (number) => {
      if (number === 1) {
        throw new UnrecoverableJobError('broken');
      }
    });
    const { finishedAt } = await bench.untilJobIs(first!.id, 'failed');
    const { id } = await bench.queue.bulk.start({ action: 'delete', ids: [first!.id] });
    bench.clock.advance('1s');
    expect(await bench.queue.failed.retry(first!.id)).toBe(true);
    await waitFor('it has failed again', async () => {
      const job = await bench.queue.find(first!.id);
      return job?.state === 'failed' && +job.finishedAt! > +finishedAt!;
    });
    expect(await bench.queue.bulk.run(id)).toMatchObject({ state: 'done', changed: 0, skipped: 1 });
    expect((await bench.queue.jobs.listBlockedKeys()).keys).toMatchObject([{ key: 'a', jobId: first!.id, behind: 1 }]);
    expect(await bench.queue.find(second!.id)).toMatchObject({ state: 'waiting' });
    const later = await bench.queue.bulk.start({ action: 'delete', ids: [first!.id] });
    expect(await bench.queue.bulk.run(later.id)).toMatchObject({ changed: 1 });
    await bench.untilJobIs(second!.id, 'succeeded');
  });

  test('the pruner frees a key whose head was deleted', async () => {
    const [first] = await enqueueMany(change, [1, 2]);
    await bench.dataSource.getRepository(TableQueueJob).delete({ id: first!.id });
    const ran = await record(change);
    const { pruner, reaper } = await bench.work([]);
    await reaper.runOnce();
    expect(ran).toEqual([]);
    await pruner.runOnce();
    await reaper.runOnce();
    await waitFor('the other has run', () => bench.isEmpty());
    expect(ran).toEqual([2]);
  });

  test('a place without its job does not block a key', async () => {
    const [, second] = await enqueueMany(change, [1, 2, 3]);
    await bench.dataSource.getRepository(TableQueueJob).delete({ id: second!.id });
    const ran = await record(change);
    await waitFor('the others have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 3]);
  });

  test("with afterFailure: 'continue' the next job runs, and a retry comes last", async () => {
    let isBroken = true;
    const [first] = await enqueueMany(skipping, [1, 2]);
    const ran = await record(skipping, (number) => {
      if (number === 1 && isBroken) {
        throw new UnrecoverableJobError('broken');
      }
    });
    await bench.untilJobIs(first!.id, 'failed');
    await waitFor('the second has run', () => bench.isEmpty());
    await bench.stopWorkers();
    isBroken = false;
    await enqueueMany(skipping, [3, 4]);
    await bench.queue.jobs.retry(first!.id);
    const later = await record(skipping);
    await waitFor('all have run', () => bench.isEmpty());
    expect([ran, later]).toEqual([
      [1, 2],
      [3, 4, 1],
    ]);
  });

  test('the reaper goes on where a process has died behind its commit', async () => {
    // As if the process had died before it advanced the key.
    await enqueueMany(change, [1, 2, 3]);
    await bench.dataSource.query('DELETE FROM tq_order_key');
    await bench.dataSource.query("UPDATE tq_job SET state = 'waiting', lane = 0, order_head = 0");
    await bench.dataSource.query(
      "INSERT INTO tq_ordered (place, job_id, name, order_key) SELECT -1, id, name, order_key FROM tq_job WHERE payload LIKE '%1}'",
    );
    const ran = await record(change);
    const { reaper } = await bench.work([]);
    expect(ran).toEqual([]);
    await reaper.runOnce();
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 2, 3]);
  });
});

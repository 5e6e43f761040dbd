import { hostname } from 'node:os';

import { expect, test } from '@jest/globals';
import { InvalidOptionError, defineJob, jobGroup } from '@tablequeue/typeorm';
import { TableQueueGroup } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { costlySteps } from '../support/plans.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const step = defineJob('step', { retry: { attempts: 1 } });
const report = defineJob('report');

describeEach('all there is about a job', (engine) => {
  const bench = useWorkbench(engine);

  const find = (id: string) => bench.queue.jobs.find(id);

  test('its worker, the groups it blocks, a request to cancel, and its outcome', async () => {
    const { runs, handler } = heldHandler(step);
    const worker = await bench.work([handler]);
    const group = await bench.queue.groups.enqueue({
      jobs: [{ definition: step, key: 'k' }],
      onComplete: { definition: report },
      onFailure: { definition: report },
    });
    const { id } = group.jobs[0]!;
    await waitFor('it runs', () => runs.length === 1);
    const running = (await find(id))!;
    expect(running).toMatchObject({
      ...(await bench.queue.find(id)),
      worker: { id: worker['liveness'].lease.owner, host: hostname(), pid: process.pid },
      cancelRequestedAt: undefined,
      groupId: group.id,
    });
    expect(running.worker!.leaseEndsAt.getTime()).toBeGreaterThan(running.claimedAt!.getTime());
    expect([...running.callbacks].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      [group.onComplete!, group.onFailure!]
        .sort()
        .map((callback) => ({ id: callback, name: 'report', state: 'waiting' })),
    );
    await bench.queue.cancel(id);
    expect((await find(id))!.cancelRequestedAt).toEqual(expect.any(Date));
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    runs[0]!.fail(new Error('stopped'));
    await bench.untilJobIs(id, 'cancelled');
    expect(await find(id)).toMatchObject({ state: 'cancelled', worker: undefined, groupId: group.id });
  });

  test('shows the group of a callback and the callbacks of a member, also after their end', async () => {
    const { runs, handler } = heldHandler(step);
    await bench.work([handler]);
    const group = await bench.queue.groups.enqueue({
      jobs: [
        { definition: step },
        { definition: step },
        jobGroup({ jobs: [{ definition: step }], onSuccess: { definition: report } }),
      ],
      onSuccess: { definition: report },
      onComplete: { definition: report },
    });
    const [first, second, inner] = group.jobs.map(({ id }) => id) as [string, string, string];
    // Others of the same time.
    for (let others = 0; others < 3; others++) {
      await bench.queue.groups.enqueue({ jobs: [{ definition: report }], onComplete: { definition: report } });
    }
    const followers = async (id: string) => (await find(id))!.callbacks.map(({ state }) => state);
    await waitFor('all run', () => runs.length === 3);
    expect((await find(group.onComplete!))!.waitsFor).toMatchObject({
      ...(await bench.queue.groups.find(group.id)),
      members: [first, second, inner].toSorted().map((id) => expect.objectContaining({ id })),
    });
    expect(await find(inner)).toMatchObject({ groupId: group.id, waitsFor: { jobs: 1, pending: 1 } });
    runs.find(({ job }) => job.id === second)!.fail(new Error('no'));
    await bench.untilJobIs(second, 'failed');
    await bench.untilJobIs(group.onSuccess!, 'cancelled');
    const awaited = (await find(group.onSuccess!))!.waitsFor!;
    expect(awaited).toMatchObject({ id: group.id, jobs: 3, failed: 1, pending: 2 });
    expect(awaited.members[0]).toEqual({ id: second, name: 'step', state: 'failed' });
    expect(await find(second)).toMatchObject({ groupId: group.id, waitsFor: undefined });
    expect(await followers(second)).toEqual(['cancelled', 'waiting']);
    expect(await followers(first)).toEqual(['cancelled', 'waiting']);
    // Run again, it is no member any more.
    await bench.queue.failed.retry(second);
    expect(await find(second)).toMatchObject({ groupId: undefined, callbacks: [] });
    await waitFor('it runs again', () => runs.length === 4);
    runs.forEach(({ end }) => end());
  });

  test('a member is found with its group, also after its end and with many groups stored between them', async () => {
    const group = await bench.queue.groups.enqueue({
      jobs: [{ definition: step }],
      onComplete: { definition: report },
    });
    const groups = bench.dataSource.getRepository(TableQueueGroup);
    const [row] = await groups.find();
    const id = BigInt(`0x${row!.id.replaceAll('-', '')}`);
    const between = Array.from({ length: 1_001 }, (_, index) => {
      const digits = (id + BigInt(index + 1)).toString(16).padStart(32, '0');
      return {
        id: digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
        jobs: 1,
        createdAt: row!.createdAt,
      };
    });
    await groups.insert(between);
    const member = group.jobs[0]!.id;
    expect(between.at(-1)!.id < member).toBe(true);
    const relations = { groupId: group.id, callbacks: [{ id: group.onComplete }] };
    expect(await find(member)).toMatchObject({ state: 'ready', ...relations });
    await bench.queue.cancel(member);
    expect(await find(member)).toMatchObject({ state: 'cancelled', ...relations });
  });

  test('a job that waits has no worker, and one that is not there is not found', async () => {
    const { id } = await bench.queue.enqueue(report, undefined, { delay: '1h' });
    expect(await find(id)).toMatchObject({ state: 'scheduled', worker: undefined, callbacks: [], trace: undefined });
    for (const statement of await statementsOf(bench.queue, () => find(id))) {
      const steps = (await costlySteps(bench.dataSource, statement)).filter(
        (each) => !/\b(worker|cancellation)\b/.test(each),
      );
      expect(steps).toEqual([]);
    }
    expect(await find('019a0000-0000-7000-8000-000000000000')).toBeUndefined();
    await expect(find('7')).rejects.toThrow(InvalidOptionError);
  });
});

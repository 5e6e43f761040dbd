import { afterEach, expect, test } from '@jest/globals';
import {
  type DurableJobContext,
  type EnqueuedGroup,
  type JobContext,
  type JobHandler,
  UnrecoverableJobError,
  defineJob,
  jobGroup,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { TableQueueGroup, TableQueueMember } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

/** Fails if its payload is negative. */
const step = defineJob<number>('step', { queue: 'steps', retry: { attempts: 1 } });
const fleeting = defineJob<number>('fleeting', { queue: 'fleeting', keep: 'none' });
const inTransaction = defineJob<number>('in-transaction', { queue: 'steps' });
const publish = defineJob<string>('publish', { queue: 'callbacks' });
const alarm = defineJob('alarm', { queue: 'callbacks' });
const cleanUp = defineJob('clean-up', { queue: 'callbacks' });

const CALLBACKS = {
  onSuccess: { definition: publish, payload: 'all' },
  onFailure: { definition: alarm },
  onComplete: { definition: cleanUp },
} as const;

describeEach('groups of jobs', (engine) => {
  const bench = useWorkbench(engine);
  let ran: { readonly name: string; readonly payload: unknown; readonly attempt: number }[] = [];
  afterEach(() => void (ran = []));

  const note = (payload: unknown, { name, attempt }: JobContext) => void ran.push({ name, payload, attempt });
  const callbackHandlers = [jobHandler(publish, note), jobHandler(alarm, note), jobHandler(cleanUp, note)];
  const handlers: JobHandler[] = [
    jobHandler(step, (number, job) => {
      if (number < 0) {
        throw new UnrecoverableJobError('negative');
      }
      note(number, job);
    }),
    jobHandler(fleeting, note),
    transactionalHandler(inTransaction, (number, job) => note(number, job)),
    ...callbackHandlers,
  ];
  const members = (...payloads: number[]) => payloads.map((payload) => ({ definition: step, payload }));
  const states = async (ids: readonly (string | undefined)[]) => {
    return Promise.all(ids.map(async (id) => (await bench.queue.find(id!))?.state));
  };
  const callbacksOf = ({ onSuccess, onFailure, onComplete }: EnqueuedGroup) => [onSuccess, onFailure, onComplete];
  const untilFinished = ({ id }: { readonly id: string }) => {
    return waitFor('the group has finished', async () => {
      const group = await bench.queue.groups.find(id);
      return group?.finishedAt && group;
    });
  };

  test('callbacks wait; when all members have succeeded two of them run, and the one for failures is cancelled', async () => {
    const group = await bench.queue.groups.enqueue({
      jobs: [
        ...members(1, 2),
        { definition: fleeting, payload: 3, priority: -1, key: 'order:3' },
        { definition: inTransaction, payload: 4 },
      ],
      ...CALLBACKS,
    });
    expect(await states(group.jobs.map(({ id }) => id))).toEqual(['ready', 'ready', 'ready', 'ready']);
    expect(await states(callbacksOf(group))).toEqual(['waiting', 'waiting', 'waiting']);
    const counts = await bench.queue.counts();
    expect(counts.find(({ queue }) => queue === 'callbacks')).toMatchObject({
      waiting: { count: 3 },
      ready: { count: 0 },
    });
    expect(await bench.queue.groups.find(group.id)).toMatchObject({
      jobs: 4,
      succeeded: 0,
      pending: 4,
      finishedAt: undefined,
    });

    await bench.work(handlers);
    await waitFor('two callbacks have run', () => ran.length === 6);
    expect(new Set(ran.slice(0, 4).map(({ payload }) => payload))).toEqual(new Set([1, 2, 3, 4]));
    expect(new Set(ran.slice(4).map(({ name, attempt }) => `${name} ${attempt}`))).toEqual(
      new Set(['clean-up 1', 'publish 1']),
    );
    expect(await untilFinished(group)).toMatchObject({
      id: group.id,
      jobs: 4,
      succeeded: 4,
      failed: 0,
      cancelled: 0,
      expired: 0,
      pending: 0,
      onSuccess: group.onSuccess,
      onFailure: group.onFailure,
      onComplete: group.onComplete,
    });
    await bench.untilJobIs(group.onFailure!, 'cancelled');
    expect(await bench.rows(TableQueueMember)).toHaveLength(4);
    expect(bench.logger.lines).toEqual([]);
  });

  test('the first failure triggers one callback and cancels another; the third waits for all members', async () => {
    const group = await bench.queue.groups.enqueue({
      jobs: [...members(-1), { definition: step, payload: 2, delay: '1h' }],
      ...CALLBACKS,
    });
    await bench.work(handlers);
    await bench.untilJobIs(group.onFailure!, 'succeeded');
    expect(await states(callbacksOf(group))).toEqual(['cancelled', 'succeeded', 'waiting']);
    expect(await bench.queue.groups.find(group.id)).toMatchObject({ failed: 1, pending: 1, finishedAt: undefined });
    bench.clock.advance('1h');
    await bench.untilJobIs(group.onComplete!, 'succeeded');
    expect(await untilFinished(group)).toMatchObject({ succeeded: 1, failed: 1, pending: 0 });
    expect(ran.map(({ name }) => name)).toEqual(['alarm', 'step', 'clean-up']);
  });

  test('a member that is tried again has not ended', async () => {
    let tries = 0;
    const flaky = defineJob('flaky', { queue: 'steps', retry: { attempts: 2, backoff: () => 3_600_000 } });
    const { id, onComplete, jobs } = await bench.queue.groups.enqueue({
      jobs: [{ definition: flaky }],
      onComplete: CALLBACKS.onComplete,
    });
    await bench.work([
      ...callbackHandlers,
      jobHandler(flaky, () => {
        if (tries++ === 0) {
          throw new Error('once');
        }
      }),
    ]);
    await bench.untilJobIs(jobs[0]!.id, 'scheduled');
    expect(await bench.queue.groups.find(id)).toMatchObject({ pending: 1 });
    bench.clock.advance('1h');
    await bench.untilJobIs(onComplete!, 'succeeded');
  });

  test('a cancelled member counts as not succeeded, in each way to cancel it', async () => {
    const enqueue = () =>
      bench.queue.groups.enqueue({
        jobs: [{ definition: step, payload: 1, delay: '1h', key: 'member' }],
        ...CALLBACKS,
      });
    const groups = [await enqueue(), await enqueue(), await enqueue(), await enqueue()] as const;
    await bench.queue.cancel(groups[0].jobs[0]!.id);
    expect(await states(callbacksOf(groups[0]))).toEqual(['cancelled', 'ready', 'ready']);
    await bench.dataSource.transaction(async (manager) => {
      await bench.queue.cancel(groups[1].jobs[0]!.id, { manager });
      expect(await bench.queue.find(groups[1].onFailure!, { manager })).toMatchObject({ state: 'waiting' });
    });
    await untilFinished(groups[1]);
    await bench.queue.cancelByKey('member', { only: alarm });
    expect(await bench.queue.groups.find(groups[2].id)).toMatchObject({ pending: 1 });
    await bench.queue.cancelMany({ queue: 'steps' });
    for (const group of groups) {
      expect(await untilFinished(group)).toMatchObject({ cancelled: 1, pending: 0 });
      expect(await states(callbacksOf(group))).toEqual(['cancelled', 'ready', 'ready']);
    }
  });

  test('a member that is cancelled while it runs ends so too', async () => {
    const group = await bench.queue.groups.enqueue({ jobs: members(1), ...CALLBACKS });
    let isRunning = false;
    await bench.work([
      ...callbackHandlers,
      jobHandler(step, async (_number, { signal }) => {
        isRunning = true;
        await waitFor('it is aborted', () => signal.aborted);
        throw signal.reason;
      }),
    ]);
    await waitFor('it runs', () => isRunning);
    expect(await bench.queue.cancel(group.jobs[0]!.id)).toBe('requested');
    await bench.untilJobIs(group.onFailure!, 'succeeded');
    expect(await untilFinished(group)).toMatchObject({ cancelled: 1 });
  });

  test('a waiting callback is found, and cancelled as any job; the others are not held up', async () => {
    const group = await bench.queue.groups.enqueue({
      jobs: members(1),
      ...CALLBACKS,
      onSuccess: { ...CALLBACKS.onSuccess, key: 'callback', priority: 3 },
    });
    expect(await bench.queue.findByKey('callback')).toMatchObject([{ state: 'waiting', priority: 3, attempt: 0 }]);
    expect(await bench.queue.cancelByKey('callback')).toEqual({ cancelled: 1, requested: 0 });
    await bench.work(handlers);
    await bench.untilJobIs(group.onComplete!, 'succeeded');
    await untilFinished(group);
    expect(await states(callbacksOf(group))).toEqual(['cancelled', 'cancelled', 'succeeded']);
  });

  test('the payload of a callback may be made of the ids', async () => {
    const group = await bench.queue.groups.enqueue({
      jobs: members(1, 2),
      onSuccess: { definition: publish, payload: ({ id, jobs }) => `${id} ${jobs.join()}` },
    });
    expect(await bench.queue.find(group.onSuccess!)).toMatchObject({
      payload: `${group.id} ${group.jobs.map(({ id }) => id).join()}`,
    });
  });

  test('a group inside another is waited for through its callback, and its failure is passed on', async () => {
    const nested = (payload: number) => {
      return bench.queue.groups.enqueue({
        jobs: [
          jobGroup({
            jobs: [
              ...members(1),
              jobGroup({ jobs: members(payload), onSuccess: { definition: publish, payload: 'innermost' } }),
            ],
            onSuccess: { definition: publish, payload: 'inner' },
          }),
          ...members(3),
        ],
        ...CALLBACKS,
      });
    };
    const good = await nested(2);
    const bad = await nested(-2);
    await bench.work(handlers);
    await untilFinished(good);
    expect(await untilFinished(bad)).toMatchObject({ jobs: 2, succeeded: 1, cancelled: 1 });
    await waitFor('all is done', () => bench.isEmpty());
    const published = ran.filter(({ name }) => name === 'publish').map(({ payload }) => payload);
    expect(published).toEqual(['innermost', 'inner', 'all']);
    expect(await states(callbacksOf(good))).toEqual(['succeeded', 'cancelled', 'succeeded']);
    expect(await states(callbacksOf(bad))).toEqual(['cancelled', 'succeeded', 'succeeded']);
    expect((await bench.rows(TableQueueGroup)).every(({ finishedAt }) => finishedAt !== null)).toBe(true);
  });

  test('a job that is run again is no member any more', async () => {
    const group = await bench.queue.groups.enqueue({ jobs: members(-1), ...CALLBACKS });
    const worker = await bench.work(handlers);
    await untilFinished(group);
    await waitFor('all is done', () => bench.isEmpty());
    await worker.stop();
    for (const id of [group.jobs[0]!.id, group.onSuccess!]) {
      expect(await bench.queue.failed.retry(id)).toBe(true);
    }
    await bench.work([jobHandler(step, note), ...callbackHandlers]);
    await waitFor('both have run again', () => bench.isEmpty());
    expect(await bench.queue.groups.find(group.id)).toMatchObject({ failed: 1, succeeded: 0 });
    expect(ran.filter(({ name }) => name === 'clean-up')).toHaveLength(1);
  });

  test('a callback that was retried and waits for a signal belongs to its group no more', async () => {
    const jobs = [
      { definition: step, payload: -1 },
      { definition: fleeting, payload: 1 },
    ];
    const group = await bench.queue.groups.enqueue({ jobs, ...CALLBACKS });
    const held = new Set<string>();
    const parking = ({ id, waitForSignal }: DurableJobContext) => {
      held.add(id);
      return waitForSignal('go');
    };
    await bench.work([
      handlers[0]!,
      jobHandler(publish, (_payload, job) => parking(job)),
      jobHandler(alarm, (_payload, job) => parking(job)),
      jobHandler(cleanUp, note),
    ]);
    await bench.untilJobIs(group.onSuccess!, 'cancelled');
    await waitFor('the callback for failures has run', () => held.has(group.onFailure!));
    await bench.untilJobIs(group.onFailure!, 'waiting');
    expect(await bench.queue.failed.retry(group.onSuccess!)).toBe(true);
    await waitFor('the retried callback has run', () => held.has(group.onSuccess!));
    await bench.untilJobIs(group.onSuccess!, 'waiting');
    await bench.work([jobHandler(fleeting, note)]);
    await untilFinished(group);
    await waitFor('the last callback has run', () => ran.some(({ name }) => name === 'clean-up'));
    expect(await states([group.onSuccess, group.onFailure])).toEqual(['waiting', 'waiting']);
    for (const id of [group.onSuccess!, group.onFailure!]) {
      await bench.queue.signal(id, 'go');
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2 });
    }
  });

  test('a large group is stored as a whole, and its callbacks run once', async () => {
    const count = 2_000;
    const group = await bench.queue.groups.enqueue({
      jobs: Array.from({ length: count }, (_, payload) => ({ definition: fleeting, payload })),
      ...CALLBACKS,
    });
    await bench.work(handlers, { concurrency: 200 });
    await bench.untilJobIs(group.onSuccess!, 'succeeded');
    expect(await untilFinished(group)).toMatchObject({ jobs: count, succeeded: count });
    await waitFor('all is done', () => bench.isEmpty());
    expect(
      ran
        .filter(({ name }) => name !== 'fleeting')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['clean-up', 'publish']);
  });

  test('the callbacks of many groups whose members end together are triggered together, each once', async () => {
    const count = 150;
    const inner = (index: number) => jobGroup({ jobs: members(index % 10 === 0 ? -1 : 1), ...CALLBACKS });
    const outer = await bench.queue.groups.enqueue({
      jobs: Array.from({ length: count }, (_, index) => inner(index)),
      onComplete: { definition: publish, payload: 'outer' },
    });
    await bench.work(handlers, { concurrency: count });
    expect(await untilFinished(outer)).toMatchObject({ jobs: count, succeeded: 135, cancelled: 15 });
    await waitFor('all is done', () => bench.isEmpty());
    const times = (wanted: string) => ran.filter(({ name }) => name === wanted).length;
    expect([times('publish'), times('alarm'), times('clean-up')]).toEqual([136, 15, 150]);
    expect(ran.every(({ attempt }) => attempt === 1)).toBe(true);
  });
});

import { expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  InvalidPayloadError,
  UnknownOptionError,
  defineJob,
  jobGroup,
  jobHandler,
} from '@tablequeue/typeorm';
import { Pruner, Reaper, TableQueueGroup, TableQueueMember } from '@tablequeue/typeorm/internal';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const step = defineJob<number>('step', { queue: 'steps' });
const later = { definition: step, payload: 1, delay: '1h' } as const;
const publish = defineJob('publish', { queue: 'callbacks' });
const alarm = defineJob('alarm', { queue: 'callbacks' });
const cleanUp = defineJob('clean-up', { queue: 'callbacks' });
const CALLBACKS = {
  onSuccess: { definition: publish },
  onFailure: { definition: alarm },
  onComplete: { definition: cleanUp },
} as const;

class Rollback extends Error {}

describeEach('groups of jobs and transactions', (engine) => {
  const bench = useWorkbench(engine);

  const handlers = [step, publish, alarm, cleanUp].map((definition) => {
    return jobHandler(definition as typeof step, () => undefined);
  });
  const stateOf = async (id: string | undefined) => (await bench.queue.find(id!))?.state;

  test('a group exists when its transaction commits, and nothing of it when that is rolled back', async () => {
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      const { id } = await bench.queue.groups.enqueue({ jobs: [later], ...CALLBACKS }, { manager });
      expect(await bench.queue.groups.find(id, { manager })).toMatchObject({ jobs: 1, pending: 1 });
      throw new Rollback();
    });
    await expect(rolledBack).rejects.toThrow(Rollback);
    for (const rows of [bench.liveJobs(), bench.rows(TableQueueGroup), bench.rows(TableQueueMember)]) {
      expect(await rows).toEqual([]);
    }
    await bench.work(handlers);
    const { id } = await bench.dataSource.transaction((manager) => {
      return bench.queue.groups.enqueue({ jobs: [{ definition: step, payload: 1 }], ...CALLBACKS }, { manager });
    });
    await waitFor('it has finished', async () => (await bench.queue.groups.find(id))?.finishedAt);
  });

  test('a member that was cancelled in a transaction that is rolled back has not ended', async () => {
    const { id, jobs, onComplete } = await bench.queue.groups.enqueue({ jobs: [later], ...CALLBACKS });
    const rolledBack = bench.dataSource.transaction(async (manager) => {
      expect(await bench.queue.cancel(jobs[0]!.id, { manager })).toBe('cancelled');
      throw new Rollback();
    });
    await expect(rolledBack).rejects.toThrow(Rollback);
    expect(await bench.queue.groups.find(id)).toMatchObject({ pending: 1 });
    expect(await stateOf(onComplete)).toBe('waiting');
    await bench.work(handlers);
    bench.clock.advance('1h');
    await bench.untilJobIs(onComplete!, 'succeeded');
  });

  test('the reaper triggers the callbacks that a dead process did not trigger, once', async () => {
    const groups = await Promise.all(
      [1, 2, 3].map(() => bench.queue.groups.enqueue({ jobs: [later, later], ...CALLBACKS })),
    );
    const end = async (group: number, job: number, outcome: string) => {
      const members = bench.dataSource.getRepository(TableQueueMember);
      await members.update({ groupId: groups[group]!.id, jobId: groups[group]!.jobs[job]!.id }, { outcome } as object);
    };
    await end(0, 0, 'succeeded');
    await end(1, 0, 'failed');
    await end(2, 0, 'succeeded');
    await end(2, 1, 'succeeded');
    const reaper = new Reaper(bench.queue.engine);
    expect(await reaper.runOnce()).toMatchObject({ triggered: 3 });
    const states = (group: number) => {
      const { onSuccess, onFailure, onComplete } = groups[group]!;
      return Promise.all([onSuccess, onFailure, onComplete].map(stateOf));
    };
    expect(await states(0)).toEqual(['waiting', 'waiting', 'waiting']);
    expect(await states(1)).toEqual(['cancelled', 'ready', 'waiting']);
    expect(await states(2)).toEqual(['ready', 'cancelled', 'ready']);
    expect(await reaper.runOnce()).toMatchObject({ triggered: 0 });
    await end(1, 1, 'succeeded');
    expect(await reaper.runOnce()).toMatchObject({ triggered: 1 });
    expect(await states(1)).toEqual(['cancelled', 'ready', 'ready']);
  });

  test('finished groups are pruned with their members; open ones stay', async () => {
    const enqueue = () => bench.queue.groups.enqueue({ jobs: [later, later], ...CALLBACKS });
    const [old, recent, open] = [await enqueue(), await enqueue(), await enqueue()];
    await bench.queue.cancel(old.jobs[0]!.id);
    await bench.queue.cancel(old.jobs[1]!.id);
    bench.clock.advance('20d');
    await bench.queue.cancel(recent.jobs[0]!.id);
    await bench.queue.cancel(recent.jobs[1]!.id);
    const left = async () => (await bench.rows(TableQueueGroup)).map(({ id }) => id).sort();
    const pruner = new Pruner(bench.queue.engine);
    bench.clock.advance('9d');
    await pruner.runOnce();
    expect(await left()).toEqual([old.id, recent.id, open.id].sort());
    bench.clock.advance('2d');
    await new Pruner(bench.queue.engine, false).runOnce();
    expect(await left()).toHaveLength(3);
    await pruner.runOnce();
    expect(await left()).toEqual([recent.id, open.id].sort());
    expect(await bench.rows(TableQueueMember)).toHaveLength(4);
    expect(await bench.queue.groups.find(old.id)).toBeUndefined();
    await bench.queue.prune('10d');
    expect(await left()).toEqual([open.id]);
    expect(await bench.rows(TableQueueMember)).toHaveLength(2);
  });

  test('one group may be twice a member of another', async () => {
    const { onComplete } = CALLBACKS;
    const same = jobGroup({ jobs: [later], onComplete });
    const { jobs } = await bench.queue.groups.enqueue({ jobs: [same, same], onComplete });
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(2);
    expect(await bench.liveJobs()).toHaveLength(5);
  });

  test('an invalid group is refused with the reason', async () => {
    const { groups } = bench.queue;
    const unique = defineJob<number>('unique', { unique: { period: '1h' } });
    const email = defineJob('email', { schema: z.object({ to: z.string() }) });
    const onComplete = CALLBACKS.onComplete;
    const inner = { jobs: [later] as unknown[], onComplete };
    inner.jobs.push({ jobs: [inner], onComplete });
    const refused: [object, typeof InvalidOptionError | typeof UnknownOptionError, string][] = [
      [{ jobs: [], onComplete }, InvalidOptionError, '"jobs"'],
      [{ onComplete }, InvalidOptionError, '"jobs"'],
      [{ jobs: [later] }, InvalidOptionError, '"onComplete"'],
      [{ jobs: [later], whenEver: {} }, UnknownOptionError, '"whenEver"'],
      [{ jobs: [{ payload: 1 }], onComplete }, InvalidOptionError, '"jobs[0].definition"'],
      [{ jobs: [later, null], onComplete }, InvalidOptionError, '"jobs[1]"'],
      [{ jobs: [{ ...later, unique: {} }], onComplete }, UnknownOptionError, '"jobs[0].unique"'],
      [{ jobs: [{ definition: unique, payload: 1 }], onComplete }, InvalidOptionError, '"jobs[0].definition"'],
      [{ jobs: [{ ...later, priority: 0.5 }], onComplete }, InvalidOptionError, '"jobs[0].priority"'],
      [{ jobs: [later], onComplete: { ...onComplete, delay: 1 } }, UnknownOptionError, '"onComplete.delay"'],
      [
        { jobs: [jobGroup({ jobs: [later], onFailure: onComplete })], onComplete },
        InvalidOptionError,
        '"jobs[0].onComplete"',
      ],
      [{ jobs: [later, inner], onComplete }, InvalidOptionError, '"jobs[1].jobs[1].jobs[0]" is \'[Circular]\''],
    ];
    for (const [group, error, text] of refused) {
      const enqueued = groups.enqueue(group as never);
      await expect(enqueued).rejects.toThrow(error);
      await expect(enqueued).rejects.toThrow(text);
    }
    // The compiler refuses these.
    const mistyped = () => [
      // @ts-expect-error -- the payload is no number
      groups.enqueue({ jobs: [later, { definition: step, payload: 'one' }], onComplete }),
      // @ts-expect-error -- the payload is missing
      groups.enqueue({ jobs: [{ definition: step }], onComplete }),
      // @ts-expect-error -- what the function makes is no number
      groups.enqueue({ jobs: [later], onComplete: { definition: step, payload: ({ id }) => id } }),
    ];
    expect(mistyped).toBeDefined();
    const invalid = groups.enqueue({ jobs: [later, { definition: email, payload: { to: 1 } as never }], onComplete });
    await expect(invalid).rejects.toThrow(InvalidPayloadError);
    const queryRunner = bench.dataSource.createQueryRunner();
    await expect(groups.enqueue({ jobs: [later], onComplete }, { queryRunner })).rejects.toThrow(InvalidOptionError);
    await queryRunner.release();
    await expect(groups.find('group')).rejects.toThrow(InvalidOptionError);
    expect(await groups.find('0198c5e2-0000-7000-8000-000000000000')).toBeUndefined();
    expect(await bench.liveJobs()).toEqual([]);
  });
});

describeEach(
  'groups of jobs beside long transactions',
  (engine) => {
    const bench = useWorkbench(engine);

    const handlers = [step, publish, alarm, cleanUp].map((definition) => {
      return jobHandler(definition as typeof step, () => undefined);
    });

    test('a transaction that has cancelled a member holds up neither the other members nor other groups', async () => {
      await bench.work(handlers);
      const first = await bench.queue.groups.enqueue({ jobs: [later, ...some(20)], ...CALLBACKS });
      await bench.dataSource.transaction(async (manager) => {
        await bench.queue.cancel(first.jobs[0]!.id, { manager });
        const second = await bench.queue.groups.enqueue({ jobs: some(20), ...CALLBACKS }, { outsideTransaction: true });
        await bench.untilJobIs(second.onComplete!, 'succeeded');
        await waitFor(
          'all but one have ended',
          async () => (await bench.queue.groups.find(first.id))?.succeeded === 20,
        );
      });
      await bench.untilJobIs(first.onFailure!, 'succeeded');
      await bench.untilJobIs(first.onComplete!, 'succeeded');
    });

    test('a transaction that is storing a group does not hold up the release of others', async () => {
      await bench.work(handlers);
      await bench.dataSource.transaction(async (manager) => {
        await bench.queue.groups.enqueue({ jobs: [later], ...CALLBACKS }, { manager });
        const other = await bench.queue.groups.enqueue({ jobs: some(3), ...CALLBACKS }, { outsideTransaction: true });
        await bench.untilJobIs(other.onComplete!, 'succeeded');
        await bench.queue.groups.enqueue({ jobs: [later], ...CALLBACKS }, { manager });
        await bench.queue.prune(0);
      });
    });

    test('a callback whose cancellation is uncommitted is skipped, and triggered after a rollback', async () => {
      const worker = await bench.work(handlers);
      const group = await bench.queue.groups.enqueue({ jobs: [later], ...CALLBACKS });
      const rolledBack = bench.dataSource.transaction(async (manager) => {
        expect(await bench.queue.cancel(group.onSuccess!, { manager })).toBe('cancelled');
        bench.clock.advance('1h');
        await bench.untilJobIs(group.onComplete!, 'succeeded');
        expect(await worker.reaper.runOnce()).toMatchObject({ triggered: 0 });
        expect(await bench.queue.groups.find(group.id)).toMatchObject({ succeeded: 1, finishedAt: undefined });
        throw new Rollback();
      });
      await expect(rolledBack).rejects.toThrow(Rollback);
      expect(await worker.reaper.runOnce()).toMatchObject({ triggered: 1 });
      await bench.untilJobIs(group.onSuccess!, 'succeeded');
      expect((await bench.queue.groups.find(group.id))?.finishedAt).toBeInstanceOf(Date);
    });
  },
  // SQLite has one transaction at a time.
  ['mariadb', 'mysql'],
);

function some(count: number) {
  return Array.from({ length: count }, (_, payload) => ({ definition: step, payload }));
}

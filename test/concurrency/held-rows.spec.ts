import { describe, expect, test } from '@jest/globals';
import { type BulkJob, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueCancellation } from '@tablequeue/typeorm/internal';
import type { EntityManager } from 'typeorm';

import { SERVER_ENGINES } from '../servers/engines.js';
import { hasSkipLocked, strategiesOf } from '../support/claim-strategies.js';
import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { idleJob } from '../support/jobs.js';
import { sessionsOf } from '../support/sessions.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const heldJob = defineJob('held');

describeEach(
  'rows that a long transaction of the application holds',
  (engine) => {
    const bench = useWorkbench(engine);

    /** Other connections see that a transaction is open by nothing else than its locks. */
    const during = (work: (manager: EntityManager) => Promise<void>) => bench.dataSource.transaction(work);

    // Each wait takes a second without SKIP LOCKED, and the two strategies claim by the same operation.
    const strategies = hasSkipLocked(engine) ? strategiesOf(engine) : (['compare-and-set'] as const);
    describe.each(strategies)('claims by %s', (claimStrategy) => {
      test('do not wait for jobs that it has cancelled or replaced', async () => {
        const ran: number[] = [];
        const handler = jobHandler(idleJob, (job) => void ran.push(job));
        const unique = { key: 'one', while: 'unfinished', onConflict: 'replace' } as const;
        const cancelled = await bench.queue.enqueue(idleJob, 1);
        const replaced = await bench.queue.enqueue(idleJob, 2, { unique });
        await bench.queue.enqueue(idleJob, 3);
        await during(async (manager) => {
          expect(await bench.queue.cancel(cancelled.id, { manager })).toBe('cancelled');
          expect(await bench.queue.enqueue(idleJob, 4, { unique, manager })).toMatchObject({ id: replaced.id });
          await bench.work([handler], { claimStrategy });
          await waitFor('what is free has run', () => ran.length === 1);
          expect(ran).toEqual([3]);
        });
        expect(await bench.untilJobIs(replaced.id, 'succeeded')).toMatchObject({ attempt: 1 });
        expect(ran).toEqual([3, 4]);
        expect(bench.logger.lines).toEqual([]);
      });

      test('skip jobs whose unique key it holds', async () => {
        // More than a claim asks for, several times; where each is found out by a wait, as many as these take.
        const count = hasSkipLocked(engine) ? 20 : 1;
        const keys = Array.from({ length: count }, (_, key) => ({ key: String(key) }));
        const first = await Promise.all(keys.map((unique) => bench.queue.enqueue(idleJob, 0, { unique })));
        // More of them than a claim asks for, and than it has looked for last.
        const behind = await bench.queue.enqueueMany(
          idleJob,
          [1, 2, 3, 4, 5, 6, 7].map((payload) => ({ payload })),
        );
        await during(async (manager) => {
          for (const unique of keys) {
            await bench.queue.enqueue(idleJob, 0, { unique, manager });
          }
          await bench.work([jobHandler(idleJob, () => undefined)], { claimStrategy, concurrency: 2 });
          await Promise.all(behind.map(({ id }) => bench.untilJobIs(id, 'succeeded')));
          expect(await bench.liveJobs()).toHaveLength(count);
          expect((await bench.liveJobs()).every(({ state, attempt }) => state === 'ready' && attempt === 0)).toBe(true);
        });
        await Promise.all(first.map(({ id }) => bench.untilJobIs(id, 'succeeded')));
        expect((await bench.finishedJobs()).every(({ attempt }) => attempt === 1)).toBe(true);
      });

      test.each(['a', undefined])(
        'skip the cancelled jobs of tenant %s, with jobs of any other tenant',
        async (tenant) => {
          const count = hasSkipLocked(engine) ? 30 : 1;
          const others = hasSkipLocked(engine) ? 200 : 10;
          const jobsOf = (jobs: number, options: BulkJob<number>) =>
            bench.queue.enqueueMany(
              idleJob,
              Array.from({ length: jobs }, () => options),
            );
          await jobsOf(count, { payload: 0, tenant, key: 'cancelled' });
          await jobsOf(3, { payload: 1, tenant });
          await jobsOf(others, { payload: 2, tenant: 'b' });
          const ran: number[] = [];
          await during(async (manager) => {
            expect(await bench.queue.cancelByKey('cancelled', { manager })).toEqual({ cancelled: count, requested: 0 });
            await bench.work([jobHandler(idleJob, (job) => void ran.push(job))], { claimStrategy, concurrency: 2 });
            await waitFor('the others have run', () => ran.length === others + 3, 20_000);
          });
          // Their turns come as if the cancelled ones were gone; a wait is in vain once before it is known.
          const last = ran.lastIndexOf(1);
          expect(last).toBeLessThan(hasSkipLocked(engine) ? 10 : others + 3);
        },
      );
    });

    test('an outcome waits for a unique key, others do not', async () => {
      const { handler, runs } = heldHandler(heldJob);
      const unique = { key: 'one' };
      const { id } = await bench.queue.enqueue(heldJob, undefined, { unique });
      const other = await bench.queue.enqueue(heldJob);
      await bench.work([handler]);
      await waitFor('both run', () => runs.length === 2);
      await during(async (manager) => {
        await bench.queue.enqueue(heldJob, undefined, { unique, manager });
        runs.forEach(({ end }) => end());
        await bench.untilJobIs(other.id, 'succeeded');
        expect(await bench.queue.find(id)).toMatchObject({ state: 'running' });
      });
      await bench.untilJobIs(id, 'succeeded');
    });

    test.each([
      ['one', 1],
      ['a batch', 400],
    ])(
      'cancellations take effect beside %s that it has requested again, and so do later ones',
      async (_title, count) => {
        const { handler, runs } = heldHandler(heldJob);
        const worker = await bench.work([handler], { shutdownTimeout: 0, concurrency: count + 1 });
        const jobs = await bench.queue.enqueueMany(
          heldJob,
          Array.from({ length: count + 1 }, () => ({})),
        );
        const ids = jobs.map(({ id }) => id);
        await waitFor('all run', () => runs.length === ids.length);
        await worker.stopClaiming();
        for (const id of ids) {
          expect(await bench.queue.cancel(id)).toBe('requested');
        }
        await during(async (manager) => {
          for (const id of ids.slice(0, count)) {
            expect(await bench.queue.cancel(id, { manager })).toBe('requested');
          }
          await worker.stop();
          const { reaper } = await bench.work([]);
          await reaper.runOnce();
          const ended = new Map((await bench.finishedJobs()).map(({ id, state }) => [id, state]));
          expect(ended).toEqual(new Map(ids.map((id) => [id, 'cancelled'])));
          expect(await bench.rows(TableQueueCancellation)).toHaveLength(count);
        });
        const { reaper } = await bench.work([]);
        await reaper.runOnce();
        expect(await bench.rows(TableQueueCancellation)).toEqual([]);
        expect(bench.logger.lines).toEqual([]);
      },
    );

    test('callbacks and cancellations do not wait for a group whose row it holds', async () => {
      const member = { definition: idleJob, payload: 0, delay: '1h' } as const;
      const onComplete = { definition: idleJob, payload: 1 } as const;
      const [held, free] = await Promise.all(
        [0, 1].map(() => bench.queue.groups.enqueue({ jobs: [member], onComplete })),
      );
      const worker = bench.worker([]);
      await worker.start();
      await during(async (manager) => {
        await manager.query('SELECT id FROM tq_group WHERE id = UNHEX(?) FOR UPDATE', [held!.id.replaceAll('-', '')]);
        const { manager: outside } = bench.dataSource;
        expect(await bench.queue.cancel(held!.jobs[0]!.id, { manager: outside })).toBe('cancelled');
        expect(await bench.queue.cancel(free!.jobs[0]!.id, { manager: outside })).toBe('cancelled');
        await waitFor('the other one is triggered', async () => {
          await worker.reaper.runOnce();
          return (await bench.queue.find(free!.onComplete!))?.state === 'ready';
        });
        expect(await bench.queue.find(held!.onComplete!)).toMatchObject({ state: 'waiting' });
      });
      await waitFor('it is too', async () => {
        await worker.reaper.runOnce();
        return (await bench.queue.find(held!.onComplete!))?.state === 'ready';
      });
      expect(bench.logger.lines).toEqual([]);
    });

    test('a due job becomes ready beside one that it has cancelled', async () => {
      const [cancelled, ...others] = await Promise.all(
        Array.from({ length: 5 }, (_, job) => bench.queue.enqueue(idleJob, job, { delay: '1h' })),
      );
      bench.clock.advance('2h');
      const worker = bench.worker([]);
      await worker.start();
      await during(async (manager) => {
        await bench.queue.cancel(cancelled!.id, { manager });
        expect(await worker.retrier.runOnce()).toEqual({ promoted: others.length });
      });
    });
  },
  SERVER_ENGINES,
);

describeEach(
  'a row that was waited for in vain',
  (engine) => {
    const bench = useWorkbench(engine);

    test('is asked for again when the worker stops', async () => {
      const { handler, runs } = heldHandler(heldJob);
      const { id } = await bench.queue.enqueue(heldJob);
      const worker = await bench.work([handler], { shutdownTimeout: 0 });
      await waitFor('it runs', () => runs.length === 1);
      const isLocking = async () => {
        return (await sessionsOf(bench.dataSource)).some(({ Info }) => Info?.includes('FOR UPDATE'));
      };
      await bench.dataSource.transaction(async (manager) => {
        await manager.query('SELECT id FROM tq_job WHERE id = UNHEX(?) FOR UPDATE', [id.replaceAll('-', '')]);
        runs[0]!.end('done');
        await waitFor('the worker waits', isLocking);
        await waitFor('it has given up', async () => !(await isLocking()));
      });
      await worker.stop();
      expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded', result: 'done' });
    });
  },
  ['mysql56'],
);

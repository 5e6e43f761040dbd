import { expect, test } from '@jest/globals';
import {
  ChildCancelledError,
  ChildFailedError,
  type DurableJobContext,
  UnrecoverableJobError,
  child,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const parentJob = defineJob<number>('parent', { queue: 'parents', retry: { attempts: 3, backoff: () => 0 } });
const double = defineJob<number>('double', { queue: 'children', retry: { attempts: 2, backoff: () => 0 } });
const unkept = defineJob<number>('unkept', { queue: 'children', keep: 'none' });

describeEach('children of durable jobs', (engine) => {
  const bench = useWorkbench(engine);

  /** Runs a parent to its end. */
  async function run(
    body: (job: DurableJobContext) => unknown,
    handle: (payload: number) => unknown = (number) => number * 2,
  ) {
    const worker = await bench.work(
      [jobHandler(parentJob, (_payload, job) => body(job)), jobHandler(double, handle), jobHandler(unkept, handle)],
      { maintenance: { reaper: '100ms' } },
    );
    const { id } = await bench.queue.enqueue(parentJob, 1);
    await waitFor('the parent has ended', async () => {
      const state = (await bench.queue.find(id))?.state;
      return state === 'succeeded' || state === 'failed' || state === 'cancelled';
    });
    await worker.stop();
    return (await bench.queue.find(id))!;
  }

  test('a parent gets the result of a child, and starts it once', async () => {
    let calls = 0;
    const parent = await run(
      async (job) => ({ doubled: await job.run('double', child(double, 21)) }),
      (number) => {
        calls++;
        return number * 2;
      },
    );
    expect(parent).toMatchObject({ state: 'succeeded', result: { doubled: 42 }, failures: 0 });
    expect(calls).toBe(1);
    const steps = await bench.queue.steps(parent.id);
    expect(steps).toMatchObject([{ name: 'double', kind: 'child', state: 'done' }]);
  });

  test('runAll gives the results in the order of the children, of any queue', async () => {
    const parent = await run((job) =>
      job.runAll(
        'all',
        [5, 3, 1, 4, 2].map((number) => child(double, number, { priority: number })),
      ),
    );
    expect(parent.result).toEqual([10, 6, 2, 8, 4]);
  });

  test('no children are no wait', async () => {
    const parent = await run((job) => job.runAll('none', []));
    expect(parent).toMatchObject({ state: 'succeeded', result: [], attempt: 1 });
  });

  test('children run at the same time as other waits of the parent', async () => {
    const parent = await run((job) => Promise.all([job.run('a', child(double, 1)), job.run('b', child(double, 2))]));
    expect(parent.result).toEqual([2, 4]);
  });

  test('a child that has failed rejects, in each attempt', async () => {
    const seen: unknown[] = [];
    const parent = await run(
      async (job) => {
        try {
          await job.run('double', child(double, 1));
        } catch (error) {
          seen.push(error);
        }
        await job.step('after', () => undefined);
        await job.sleep(1);
        return 'went on';
      },
      () => {
        throw new UnrecoverableJobError('no');
      },
    );
    expect(parent.result).toBe('went on');
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.every((error) => error instanceof ChildFailedError && error.reason.includes('no'))).toBe(true);
  });

  test('an error of a child that is not caught fails the parent at once', async () => {
    const parent = await run(
      (job) => job.run('double', child(double, 1)),
      () => {
        throw new UnrecoverableJobError('no');
      },
    );
    expect(parent).toMatchObject({ state: 'failed', failures: 1 });
    expect(parent.error).toContain('ChildFailedError');
  });

  test('runAll can give the outcome of each child', async () => {
    const parent = await run(
      (job) =>
        job.runAll(
          'all',
          [1, 2].map((number) => child(double, number)),
          { outcomes: true },
        ),
      (number) => {
        if (number === 1) {
          throw new UnrecoverableJobError('one');
        }
        return number;
      },
    );
    expect(parent.result).toMatchObject([
      { state: 'failed', error: expect.stringContaining('one') },
      { state: 'succeeded', result: 2 },
    ]);
  });

  test('a retry by hand starts children again that have failed, and no others', async () => {
    const calls: number[] = [];
    let mustFail = true;
    const handlers = [
      jobHandler(parentJob, async (_payload, job) => {
        const kept = await job.runAll('kept', [child(double, 1), child(double, 2)], { outcomes: true });
        return [kept.length, ...(await job.runAll<number>('all', [child(double, 3), child(double, 4)]))];
      }),
      jobHandler(double, (number) => {
        calls.push(number);
        if (mustFail && number % 2 === 0) {
          throw new UnrecoverableJobError('not yet');
        }
        return number;
      }),
    ];
    const worker = await bench.work(handlers);
    const { id } = await bench.queue.enqueue(parentJob, 1);
    await waitFor('it has failed', async () => (await bench.queue.find(id))?.state === 'failed');
    const failed = (await bench.queue.steps(id)).find(({ name }) => name === 'all');
    expect(failed).toMatchObject({ state: 'failed', error: { name: 'ChildFailedError' } });
    mustFail = false;
    expect(await bench.queue.failed.retry(id)).toBe(true);
    await waitFor('it has ended', async () => (await bench.queue.find(id))?.state === 'succeeded');
    expect((await bench.queue.find(id))?.result).toEqual([2, 3, 4]);
    expect(calls.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 3, 4, 4]);
    await worker.stop();
  });

  test('a child cannot be retried without its parent', async () => {
    const parent = await run(
      (job) => job.run('double', child(double, 1)),
      () => {
        throw new UnrecoverableJobError('no');
      },
    );
    const [{ children } = {}] = await bench.queue.steps(parent.id);
    const [failed] = children!.members;
    expect(await bench.queue.failed.retry(failed!.id)).toBe(false);
    expect(await bench.queue.failed.retryMany({})).toEqual({ retried: 1, conflicts: 0 });
    expect((await bench.liveJobs()).map(({ name }) => name)).toEqual(['parent']);
  });

  test('children of a run before a retry are cancelled', async () => {
    const worker = await bench.work([
      jobHandler(parentJob, (_payload, job) =>
        Promise.all([job.run('late', child(double, 1, { delay: '1h' })), job.run('bad', child(unkept, 2))]),
      ),
      jobHandler(unkept, () => {
        throw new UnrecoverableJobError('no');
      }),
    ]);
    const { id } = await bench.queue.enqueue(parentJob, 1);
    await bench.untilJobIs(id, 'failed');
    await bench.queue.failed.retry(id);
    await bench.untilJobIs(id, 'failed');
    await bench.queue.failed.retry(id);
    await waitFor('it waits again', async () => (await bench.queue.steps(id)).some(({ name }) => name === 'late'));
    await worker.reaper.runOnce();
    await bench.untilJobIs(id, 'failed');
    await worker.reaper.runOnce();
    expect(await bench.liveJobs()).toEqual([]);
    await worker.stop();
  });

  test('a child that fails while its parent does something else crashes nothing', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const parent = await run(
      async (job) => {
        const doubled = job.run('double', child(double, 1));
        await job.sleep(1);
        await job.step('something else', () => new Promise((resolve) => setTimeout(resolve, 50)));
        return doubled.catch((error: Error) => error.name);
      },
      () => {
        throw new UnrecoverableJobError('no');
      },
    );
    process.off('unhandledRejection', listener);
    expect(parent.result).toBe('ChildFailedError');
    expect(unhandled).toEqual([]);
  });

  test('a child whose group is pruned before its parent begins to wait does not run again', async () => {
    let calls = 0;
    const parent = await run(
      (job) =>
        Promise.all([
          job.run('double', child(double, 21)),
          job.step('long', async () => {
            await waitFor('the child has ended', () => calls === 1);
            await waitFor('nothing is left of it', async () => {
              await bench.queue.prune(0);
              return (await bench.dataSource.query('SELECT 1 FROM tq_group')).length === 0;
            });
          }),
        ]),
      (number) => {
        calls++;
        return number * 2;
      },
    );
    expect(parent.result).toEqual([42, null]);
    expect(calls).toBe(1);
  });

  test('a child with an asynchronous schema starts beside another wait', async () => {
    const checked = defineJob('checked', {
      queue: 'children',
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: async (value: unknown) => {
            await new Promise((resolve) => setTimeout(resolve, 30));
            return { value: value as number };
          },
        },
      },
    });
    await bench.work([
      jobHandler(parentJob, (_payload, job) => Promise.all([job.sleep('1h'), job.run('checked', child(checked, 1))])),
    ]);
    await bench.queue.enqueue(parentJob, 1);
    await waitFor('it is there', async () => (await bench.liveJobs()).some(({ name }) => name === 'checked'));
  });

  test('outcomes leave stacks out, and results that are too long fail the call', async () => {
    const failing = await run(
      async (job) =>
        (
          await job.runAll(
            'all',
            Array.from({ length: 100 }, () => child(double, 1)),
            { outcomes: true },
          )
        ).length,
      () => {
        throw Object.assign(new UnrecoverableJobError('no'), { stack: `Error: no\n    at ${'x'.repeat(16_000)}` });
      },
    );
    expect(failing.result).toBe(100);
    const large = await run(
      (job) => job.runAll('all', [child(double, 1), child(double, 2)]),
      () => 'x'.repeat(600_000),
    );
    expect(large.error).toContain('the results of the children are longer than 1048576 bytes');
  });

  test('a child that is deleted before its parent goes on', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const parents = () => bench.work([jobHandler(parentJob, (_payload, job) => job.run('double', child(double, 21)))]);
    const first = await parents();
    await bench.work([
      jobHandler(double, async (number) => {
        await released;
        return number * 2;
      }),
    ]);
    const { id } = await bench.queue.enqueue(parentJob, 1);
    await bench.untilJobIs(id, 'waiting');
    await first.stop();
    release();
    await bench.untilJobIs(id, 'ready');
    await bench.queue.prune(0);
    await parents();
    await bench.untilJobIs(id, 'succeeded');
    expect((await bench.queue.find(id))?.result).toBe(42);
  });

  test('children that the server has lost with their commit are started again', async () => {
    const parent = await run((job) =>
      Promise.all([
        job.run('double', child(double, 21)),
        job.step('lose', async () => {
          const { dataSource } = bench;
          await waitFor('they are stored', async () => (await dataSource.query('SELECT 1 FROM tq_group')).length > 0);
          await bench.queue.control.pause('children');
          for (const rows of [
            'tq_group',
            'tq_member',
            "tq_step WHERE kind = 'child'",
            "tq_job WHERE queue = 'children'",
          ]) {
            await dataSource.query(`DELETE FROM ${rows}`);
          }
          await bench.queue.control.resume('children');
        }),
      ]),
    );
    expect(parent.result).toEqual([42, null]);
  });

  test('a cancelled child rejects', async () => {
    const worker = await bench.work([
      jobHandler(parentJob, async (_payload, job) => {
        await job.run('double', child(double, 1)).catch((error: unknown) => {
          if (!(error instanceof ChildCancelledError)) {
            throw error;
          }
        });
        return 'cancelled';
      }),
    ]);
    const { id } = await bench.queue.enqueue(parentJob, 1);
    await waitFor('it waits', async () => (await bench.queue.find(id))?.state === 'waiting');
    const waiting = (await bench.liveJobs()).find(({ name }) => name === 'double');
    await bench.queue.cancel(waiting!.id);
    await waitFor('it has ended', async () => (await bench.queue.find(id))?.state === 'succeeded');
    expect((await bench.queue.find(id))?.result).toBe('cancelled');
    await worker.stop();
  });

  test('a child that leaves nothing', async () => {
    const parent = await run(async (job) => String(await job.run('unkept', child(unkept, 1))));
    expect(parent.result).toBe('undefined');
  });

  test.each([
    ['a child ends with its parent', 1],
    ['a thousand children end with their parent in one run of the reaper', 1_000],
  ])('%s', async (_what, count) => {
    const children = Array.from({ length: count }, (_, index) => child(double, index));
    const worker = await bench.work([jobHandler(parentJob, (_payload, job) => job.runAll('all', children))]);
    const { id } = await bench.queue.enqueue(parentJob, 1);
    await bench.untilJobIs(id, 'waiting');
    await bench.queue.cancel(id);
    await worker.reaper.runOnce();
    expect(await bench.liveJobs()).toEqual([]);
    await worker.stop();
  });

  test('many parents in a queue of one, with children in the same queue', async () => {
    const narrow = defineJob<number>('narrow', { queue: 'narrow' });
    const leaf = defineJob<number>('leaf', { queue: 'narrow' });
    await bench.queue.control.limit('narrow', { concurrency: 1 });
    const worker = await bench.work([
      jobHandler(narrow, async (number, job) => job.run('leaf', child(leaf, number))),
      jobHandler(leaf, (number) => number),
    ]);
    const jobs = await bench.queue.enqueueMany(
      narrow,
      Array.from({ length: 20 }, (_, payload) => ({ payload })),
    );
    await waitFor('all have ended', async () => (await bench.liveJobs()).length === 0);
    const found = await Promise.all(jobs.map(({ id }) => bench.queue.find(id)));
    expect(found.map((job) => job?.result)).toEqual(jobs.map((_job, index) => index));
    await worker.stop();
  });
});

describeEach(
  'parents of children',
  (engine) => {
    const bench = useWorkbench(engine);

    test('one that a transaction has locked does not delay the others', async () => {
      // Before a worker that would still claim for a moment.
      await bench.queue.control.pause('children');
      await bench.work([
        jobHandler(parentJob, (number, job) => job.run('double', child(double, number))),
        jobHandler(double, (number) => number * 2),
      ]);
      const [locked, other] = await bench.queue.enqueueMany(parentJob, [{ payload: 1 }, { payload: 2 }]);
      const isWaiting = async (id: string) => (await bench.queue.find(id))?.state === 'waiting';
      await waitFor('both wait', async () => (await isWaiting(locked!.id)) && isWaiting(other!.id));
      await bench.dataSource.transaction(async (manager) => {
        // As an update of the application's own, or a long transaction that sends a signal.
        await manager.query('SELECT 1 FROM tq_job WHERE id = ? FOR UPDATE', [
          Buffer.from(locked!.id.replaceAll('-', ''), 'hex'),
        ]);
        await bench.queue.control.resume('children');
        await bench.untilJobIs(other!.id, 'succeeded');
      });
      expect(bench.logger.lines.filter((line) => line.includes('could not be woken up'))).toEqual([]);
      await bench.untilJobIs(locked!.id, 'succeeded');
    });
  },
  ['mariadb', 'mysql'],
);

import { expect, test } from '@jest/globals';
import {
  ChildCancelledError,
  ChildFailedError,
  UnrecoverableJobError,
  child,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { double, parentJob, runParent, unkept } from '../support/parents.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

describeEach('the ends of children', (engine) => {
  const bench = useWorkbench(engine);

  test('a child that has failed rejects, in each attempt', async () => {
    const seen: unknown[] = [];
    const parent = await runParent(
      bench,
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
    const parent = await runParent(
      bench,
      (job) => job.run('double', child(double, 1)),
      () => {
        throw new UnrecoverableJobError('no');
      },
    );
    expect(parent).toMatchObject({ state: 'failed', failures: 1 });
    expect(parent.error).toContain('ChildFailedError');
  });

  test('runAll can give the outcome of each child', async () => {
    const parent = await runParent(
      bench,
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
    const parent = await runParent(
      bench,
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

  test('the last child does not end the backoff of a parent whose attempt has failed', async () => {
    const later = defineJob<number>('later', { retry: { attempts: 2, backoff: () => 3_600_000 } });
    await bench.queue.control.pause('children');
    await bench.work([
      jobHandler(double, (number) => number * 2),
      jobHandler(later, async (number, job) => {
        const doubled = job.run('double', child(double, number));
        doubled.catch(() => undefined);
        if (job.attempt === 1) {
          await job.step('beside', async () => {
            await waitFor('the child is stored', async () => (await bench.queue.steps(job.id)).length === 1);
          });
          throw new Error('not now');
        }
        return doubled;
      }),
    ]);
    const { id } = await bench.queue.enqueue(later, 21);
    await bench.untilJobIs(id, 'scheduled');
    await bench.queue.control.resume('children');
    await waitFor('its outcome could have woken up the parent', async () => {
      const signals: unknown[] = await bench.dataSource.query('SELECT 1 FROM tq_signal WHERE stage = 1');
      return signals.length === 1;
    });
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', attempt: 1 });
    bench.clock.advance('2h');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, result: 42 });
  });

  test('a child that fails while its parent does something else crashes nothing', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const parent = await runParent(
      bench,
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

  test('outcomes leave stacks out, and results that are too long fail the call', async () => {
    const failing = await runParent(
      bench,
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
    const large = await runParent(
      bench,
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
    const parent = await runParent(bench, async (job) => String(await job.run('unkept', child(unkept, 1))));
    expect(parent.result).toBe('undefined');
  });
});

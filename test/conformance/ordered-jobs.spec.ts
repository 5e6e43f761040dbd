import { expect, test } from '@jest/globals';
import { InvalidNameError, InvalidOptionError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { type Change, byAccount, change, orderedJobs } from '../support/ordered-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const latest = defineJob<Change>('latest', {
  order: { by: byAccount },
  unique: { key: ({ number }) => `${number}`, while: 'unfinished', onConflict: 'replace' },
});

describeEach('jobs with an order', (engine) => {
  const bench = useWorkbench(engine);
  const { enqueue, enqueueMany, record, orderedRows } = orderedJobs(bench);

  test('the jobs of a key run one after another, those of other keys beside them', async () => {
    const accounts = ['a', 'b', 'ä'];
    const open = new Set<string>();
    const ran = new Map(accounts.map((account) => [account, [] as number[]]));
    let together = 0;
    await bench.work([
      jobHandler(change, async ({ account, number }) => {
        expect(open.has(account)).toBe(false);
        open.add(account);
        together = Math.max(together, open.size);
        await new Promise(setImmediate);
        ran.get(account)!.push(number);
        open.delete(account);
      }),
    ]);
    for (let number = 1; number <= 20; number++) {
      await Promise.all(accounts.map((account) => enqueue(number, account)));
    }
    await waitFor('all have run', () => bench.isEmpty());
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    expect(Object.fromEntries(ran)).toEqual({ a: numbers, b: numbers, ä: numbers });
    await waitFor('their rows are gone', async () => (await orderedRows()) === 0);
    expect(bench.logger.lines).toEqual([]);
  });

  test('jobs of one call have the order of the call, also if their ids have not', async () => {
    await enqueueMany(change, [5, 4, 3, 2, 1]);
    const ran = await record(change);
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([5, 4, 3, 2, 1]);
  });

  test('while a job waits for its retry, those behind it wait', async () => {
    await enqueueMany(change, [1, 2, 3]);
    const ran = await record(change, (number, attempt) => {
      if (number === 1 && attempt < 3) {
        throw new Error('not yet');
      }
    });
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 1, 1, 2, 3]);
  });

  test('commits do not wait for a connection of their own pool', async () => {
    const commits = Array.from({ length: engine === 'sqlite' ? 1 : 30 }, (_, number) =>
      bench.dataSource.transaction((manager) => bench.queue.enqueue(change, { account: 'a', number }, { manager })),
    );
    await Promise.all(commits);
    await record(change);
    await waitFor('all have run', () => bench.isEmpty());
  });

  test('jobs that were stored while the clock was ahead run at their turn', async () => {
    await enqueueMany(change, [1, 2, 3]);
    const day = 86_400_000;
    await bench.dataSource.query(`UPDATE tq_job SET created_at = created_at + ${day}, run_at = run_at + ${day}`);
    const ran = await record(change);
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 2, 3]);
  });

  test('a cancelled job leaves the order, whether it is the head or not', async () => {
    const [first, second] = await enqueueMany(change, [1, 2, 3, 4]);
    expect(await bench.queue.cancel(second!.id)).toBe('cancelled');
    await bench.dataSource.transaction((manager) => bench.queue.cancel(first!.id, { manager }));
    const ran = await record(change);
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([3, 4]);
    expect(await bench.queue.failed.retry(second!.id)).toBe(true);
    await waitFor('it has run', () => bench.isEmpty());
    expect(ran).toEqual([3, 4, 2]);
  });

  test('a running job that is cancelled is followed by the next', async () => {
    const held = defineJob('held', { order: { by: () => 'only' } });
    const { runs, handler } = heldHandler(held);
    await bench.work([handler]);
    const first = await bench.queue.enqueue(held);
    await bench.queue.enqueue(held);
    await waitFor('the first runs', () => runs.length === 1);
    expect(await bench.queue.cancel(first.id)).toBe('requested');
    await waitFor('it is aborted', () => runs[0]!.job.signal.aborted);
    runs[0]!.fail(new Error('aborted'));
    await waitFor('the second runs', () => runs.length === 2);
    runs[1]!.end();
    await waitFor('all have run', () => bench.isEmpty());
  });

  test('a replaced job keeps its place, and cannot change its key', async () => {
    const replace = (number: number, account = 'a') => bench.queue.enqueue(latest, { account, number });
    for (const number of [1, 2, 3]) {
      await replace(number);
    }
    expect(await replace(1)).toMatchObject({ created: false, replaced: true });
    expect(await replace(2)).toMatchObject({ created: false, replaced: true });
    await expect(replace(3, 'b')).rejects.toThrow(InvalidOptionError);
    const ran = await record(latest);
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 2, 3]);
  });

  test('a delayed job holds up those behind it, and priorities apply between keys', async () => {
    const delayed = await bench.queue.enqueue(change, { account: 'a', number: 1 }, { delay: '1h' });
    await bench.queue.enqueue(change, { account: 'a', number: 2 }, { priority: -5 });
    await bench.queue.enqueue(change, { account: 'b', number: 3 });
    const ran = await record(change);
    await waitFor('the other key has run', () => ran.length === 1);
    expect(await bench.queue.find(delayed.id)).toMatchObject({ state: 'scheduled' });
    bench.clock.advance('1h');
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([3, 1, 2]);
  });

  test('a job that is delayed behind others is due at its own time', async () => {
    await enqueue(1);
    const second = await bench.queue.enqueue(change, { account: 'a', number: 2 }, { delay: '1h' });
    const ran = await record(change);
    await waitFor('the first has run', () => ran.length === 1);
    await bench.untilJobIs(second.id, 'scheduled');
    bench.clock.advance('1h');
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 2]);
  });

  test('the order of transactions is that of their enqueues, and a rollback leaves no gap', async () => {
    const ran = await record(change);
    await bench.dataSource.transaction(async (manager) => {
      await bench.queue.enqueue(change, { account: 'a', number: 1 }, { manager });
      await bench.queue.enqueue(change, { account: 'a', number: 2 }, { manager });
    });
    const undone = bench.dataSource.transaction(async (manager) => {
      await bench.queue.enqueue(change, { account: 'a', number: 3 }, { manager });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await enqueue(4);
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 2, 4]);
  });

  test('options are checked', async () => {
    const define = (order: unknown) => () => defineJob('wrong', { order } as never);
    expect(define({})).toThrow(InvalidOptionError);
    expect(define({ by: byAccount, afterFailure: 'stop' })).toThrow(InvalidOptionError);
    expect(define({ by: byAccount, other: 1 })).toThrow('other');
    await expect(enqueue(1, '')).rejects.toThrow(InvalidNameError);
    await expect(enqueue(1, 'x'.repeat(192))).rejects.toThrow(InvalidNameError);
    expect(await bench.liveJobs()).toEqual([]);
  });
});

import { expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  TableQueueJob,
  UnrecoverableJobError,
  child,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

interface Change {
  readonly account: string;
  readonly number: number;
}

const by = ({ account }: Change) => account;
const NOW = { attempts: 3, backoff: () => 0 };
const change = defineJob<Change>('change', { order: { by }, retry: NOW });
const skipping = defineJob<Change>('skipping', { order: { by, afterFailure: 'continue' } });
const latest = defineJob<Change>('latest', {
  order: { by },
  unique: { key: ({ number }) => `${number}`, while: 'unfinished', onConflict: 'replace' },
});

describeEach('jobs with an order', (engine) => {
  const bench = useWorkbench(engine);
  const enqueue = (number: number, account = 'a') => bench.queue.enqueue(change, { account, number });
  const enqueueMany = (definition: typeof change, numbers: readonly number[], account = 'a') =>
    bench.queue.enqueueMany(
      definition,
      numbers.map((number) => ({ payload: { account, number } })),
    );

  /** Runs the jobs of a definition, and records their numbers. */
  const record = async (
    definition: typeof change,
    handle: (number: number, attempt: number) => unknown = () => undefined,
  ): Promise<number[]> => {
    const ran: number[] = [];
    await bench.work([
      jobHandler(definition, ({ number }, { attempt }) => {
        ran.push(number);
        return handle(number, attempt);
      }),
    ]);
    return ran;
  };
  const orderedRows = async () => {
    const [row] = await bench.dataSource.query('SELECT COUNT(*) AS count FROM tq_ordered');
    return Number((row as { count: number | string }).count);
  };

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
    expect((await bench.queue.health()).warnings).toMatchObject([{ kind: 'blocked-keys', count: 2, since: blockedAt }]);

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
    expect((await bench.queue.health()).warnings).toEqual([]);
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

  test('commits do not wait for a connection of their own pool', async () => {
    const commits = Array.from({ length: engine === 'sqlite' ? 1 : 30 }, (_, number) =>
      bench.dataSource.transaction((manager) => bench.queue.enqueue(change, { account: 'a', number }, { manager })),
    );
    await Promise.all(commits);
    await record(change);
    await waitFor('all have run', () => bench.isEmpty());
  });

  test('a child of its own definition needs another order key', async () => {
    const tree = defineJob<Change>('tree', { order: { by } });
    const errors: unknown[] = [];
    await bench.work([
      jobHandler(tree, async ({ account, number }, { run }) => {
        if (number === 1) {
          await run('same', child(tree, { account, number: 2 })).catch((error: unknown) => errors.push(error));
          await run('other', child(tree, { account: 'b', number: 2 }));
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(tree, { account: 'a', number: 1 });
    await bench.untilJobIs(id, 'succeeded');
    // In each attempt.
    expect(errors).toEqual([expect.any(InvalidOptionError), expect.any(InvalidOptionError)]);
  });

  test('a signal of an old snapshot does not wake up a job before its place', async () => {
    const saga = defineJob<Change>('snapshot', { order: { by } });
    const ran: number[] = [];
    await bench.work([
      jobHandler(saga, async ({ number }, { waitForSignal }) => {
        ran.push(number);
        await waitForSignal('go');
      }),
    ]);
    const first = await bench.queue.enqueue(saga, { account: 'a', number: 1 });
    await bench.untilJobIs(first.id, 'waiting');
    if (engine === 'sqlite') {
      return;
    }
    await bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
      await manager.query('SELECT COUNT(*) FROM tq_job');
      await bench.queue.cancel(first.id);
      const second = await bench.queue.enqueue(saga, { account: 'a', number: 2 });
      await waitFor('the second waits', async () => (await bench.queue.steps(second.id)).length === 1);
      expect(await bench.queue.failed.retry(first.id)).toBe(true);
      await bench.queue.signal(first.id, 'go', undefined, { manager });
    });
    expect(await bench.queue.find(first.id)).toMatchObject({ state: 'waiting' });
    expect(ran).toEqual([1, 2]);
  });

  test('a place without its job does not block a key', async () => {
    const [, second] = await enqueueMany(change, [1, 2, 3]);
    await bench.dataSource.getRepository(TableQueueJob).delete({ id: second!.id });
    const ran = await record(change);
    await waitFor('the others have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 3]);
  });

  test('jobs that were stored while the clock was ahead run at their turn', async () => {
    await enqueueMany(change, [1, 2, 3]);
    const day = 86_400_000;
    await bench.dataSource.query(`UPDATE tq_job SET created_at = created_at + ${day}, run_at = run_at + ${day}`);
    const ran = await record(change);
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 2, 3]);
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

  test('a parked durable job is still the head', async () => {
    const saga = defineJob<Change>('saga', { order: { by } });
    const ran: string[] = [];
    await bench.work([
      jobHandler(saga, async ({ number }, { waitForSignal }) => {
        ran.push(`start ${number}`);
        await waitForSignal('go');
        ran.push(`end ${number}`);
      }),
    ]);
    const first = await bench.queue.enqueue(saga, { account: 'a', number: 1 });
    const second = await bench.queue.enqueue(saga, { account: 'a', number: 2 });
    await waitFor('the first waits', async () => (await bench.queue.steps(first.id)).length === 1);
    // It is kept until the job runs: the second job is not parked.
    await bench.queue.signal(second.id, 'go');
    expect(ran).toEqual(['start 1']);
    await bench.queue.signal(first.id, 'go');
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran.filter((text) => text.endsWith('2')).slice(-1)).toEqual(['end 2']);
    expect(ran.indexOf('start 2')).toBeGreaterThan(ran.indexOf('end 1'));
  });

  test('a retried durable job is not woken up by a signal before its place', async () => {
    const saga = defineJob<Change>('patient', { order: { by } });
    const ran: number[] = [];
    const handler = jobHandler(saga, async ({ number }, { waitForSignal }) => {
      ran.push(number);
      await waitForSignal('go');
    });
    const first = await bench.queue.enqueue(saga, { account: 'a', number: 1 });
    await bench.work([handler]);
    await bench.untilJobIs(first.id, 'waiting');
    expect(await bench.queue.cancel(first.id)).toBe('cancelled');
    const second = await bench.queue.enqueue(saga, { account: 'a', number: 2 });
    await waitFor('the second waits', async () => (await bench.queue.steps(second.id)).length === 1);
    expect(await bench.queue.failed.retry(first.id)).toBe(true);
    expect(await bench.queue.signal(first.id, 'go')).toBe('sent');
    expect(await bench.queue.find(first.id)).toMatchObject({ state: 'waiting' });
    await bench.queue.signal(second.id, 'go');
    await waitFor('all have run', () => bench.isEmpty());
    expect(ran).toEqual([1, 2, 2, 1]);
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

  test('jobs that are not kept, members of groups and children have an order', async () => {
    const unkept = defineJob<Change>('unkept', { order: { by }, keep: 'none' });
    const parent = defineJob('parent');
    const ran: number[] = [];
    const run = ({ number }: Change) => void ran.push(number);
    await bench.work([
      jobHandler(unkept, run),
      jobHandler(parent, async (_payload, job) => {
        await job.runAll('all', [
          child(unkept, { account: 'a', number: 5 }),
          child(unkept, { account: 'a', number: 6 }),
        ]);
      }),
    ]);
    const done = defineJob('done');
    await bench.queue.groups.enqueue({
      jobs: [1, 2, 3, 4].map((number) => ({ definition: unkept, payload: { account: 'a', number } })),
      onSuccess: { definition: done },
    });
    await waitFor('the members have run', () => ran.length === 4);
    await bench.queue.enqueue(parent);
    await waitFor('the children have run', () => ran.length === 6);
    expect(ran).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('callbacks of groups and recurring jobs refuse an order', async () => {
    const group = bench.queue.groups.enqueue({
      jobs: [{ definition: change, payload: { account: 'a', number: 1 } }],
      onSuccess: { definition: change, payload: { account: 'a', number: 2 } },
    });
    await expect(group).rejects.toThrow(InvalidOptionError);
    const recurring = bench.queue.recurring.set('nightly', change, { account: 'a', number: 1 }, { every: '1h' });
    await expect(recurring).rejects.toThrow(InvalidOptionError);
  });

  test('options are checked', async () => {
    const define = (order: unknown) => () => defineJob('wrong', { order } as never);
    expect(define({})).toThrow(InvalidOptionError);
    expect(define({ by, afterFailure: 'stop' })).toThrow(InvalidOptionError);
    expect(define({ by, other: 1 })).toThrow('other');
    await expect(enqueue(1, '')).rejects.toThrow(InvalidNameError);
    await expect(enqueue(1, 'x'.repeat(192))).rejects.toThrow(InvalidNameError);
    expect(await bench.liveJobs()).toEqual([]);
  });
});

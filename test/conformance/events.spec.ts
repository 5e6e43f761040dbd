import { expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  InvalidPayloadError,
  SubscriptionOptionError,
  TableQueueJob,
  UnknownOptionError,
  UnrecoverableJobError,
  WildcardEventError,
  defineEvent,
  defineJob,
  eventHandler,
  jobHandler,
} from '@tablequeue/typeorm';
import { z } from 'zod';

import { aes, columnsWith } from '../support/codecs.js';
import { describeEach, describeOnOlderToo } from '../support/each-engine.js';
import { EVENTS, afterEachPart, jobsBySubscription, manyHandlers, paid, register } from '../support/events.js';
import { takeFromWorker } from '../support/restarting.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const NOW = { attempts: 3, backoff: () => 0 };

describeOnOlderToo('published events', (engine) => {
  const bench = useWorkbench(engine);

  test('each subscription gets one job of its own, with its own queue, retries and failures', async () => {
    const ran: string[] = [];
    const handlers = [
      eventHandler(paid, { subscription: 'mailing', queue: 'mail' }, ({ order }, { name, queue }) => {
        ran.push(`${name} ${queue} ${order}`);
        return order + 1;
      }),
      eventHandler(paid, { subscription: 'books', retry: NOW }, (_payload, { attempt }) => {
        ran.push(`books ${attempt}`);
        throw new Error('closed');
      }),
      eventHandler(paid, { subscription: 'stock', retry: NOW, priority: 5 }, (_payload, { failures }) => {
        ran.push(`stock ${failures}`);
        if (failures === 0) {
          throw new Error('not yet');
        }
      }),
    ];
    await bench.work(handlers);
    const { id } = await bench.queue.publish(paid, { order: 42 });
    await waitFor('all have ended', () => bench.isEmpty());
    expect(ran.toSorted()).toEqual(
      ['books 1', 'books 2', 'books 3', 'order.paid@mailing mail 42', 'stock 0', 'stock 1'].toSorted(),
    );
    expect(await bench.queue.find(id)).toMatchObject({ state: 'succeeded', result: { jobs: 3 }, queue: EVENTS });
    const jobs = await bench.rows(TableQueueJob);
    expect(jobs.map(({ name, state, result, priority }) => ({ name, state, result, priority }))).toEqual(
      expect.arrayContaining([
        { name: 'order.paid@mailing', state: 'succeeded', result: '43', priority: 0 },
        { name: 'order.paid@books', state: 'failed', result: null, priority: 0 },
        { name: 'order.paid@stock', state: 'succeeded', result: null, priority: 5 },
      ]),
    );
    expect(jobs).toHaveLength(4);
  });

  test('publishing is one row and one statement, however many subscriptions there are', async () => {
    await register((handlers) => bench.worker(handlers), manyHandlers(20));
    const sent = await statementsOf(bench.queue, async () => void (await bench.queue.publish(paid, { order: 1 })));
    expect(sent).toHaveLength(1);
    expect(await bench.rows(TableQueueJob)).toHaveLength(1);
    // The same statement as that of a plain job.
    const plain = await statementsOf(bench.queue, async () => {
      await bench.queue.enqueue(defineJob<{ order: number }>('plain'), { order: 1 });
    });
    expect(sent.map(({ sql }) => sql)).toEqual(plain.map(({ sql }) => sql));
  });

  test('it belongs to the transaction of its caller', async () => {
    const ran: number[] = [];
    await bench.work([eventHandler(paid, { subscription: 'mailing' }, ({ order }) => void ran.push(order))]);
    await expect(
      bench.dataSource.transaction(async (manager) => {
        await bench.queue.publish(paid, { order: 1 }, { manager });
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await bench.dataSource.transaction(async (manager) => {
      await bench.queue.publish(paid, { order: 2 }, { manager });
    });
    await waitFor('the committed one has run', () => ran.length > 0);
    expect(ran).toEqual([2]);
    expect(await bench.rows(TableQueueJob)).toHaveLength(2);
  });

  test('a fan-out that another worker takes over between its parts goes on there, and stores each job once', async () => {
    const count = 1_300;
    const handlers = manyHandlers(count);
    const first = bench.worker(handlers);
    afterEachPart(first, async (part) => {
      // The second one finds that it has lost the job.
      if (part === 1 || part === 3) {
        await takeFromWorker(bench);
      }
    });
    await first.start();
    const { id } = await bench.queue.publish(paid, { order: 7 });
    await bench.untilJobIs(id, 'succeeded');
    const counts = await jobsBySubscription(bench.dataSource);
    expect(counts.size).toBe(count);
    expect([...counts.values()].every((each) => each === 1)).toBe(true);
    expect(await bench.queue.find(id)).toMatchObject({ attempt: 3, result: { jobs: count, upTo: count } });
  });

  test('a worker that stops hands a fan-out on', async () => {
    const count = 1_300;
    const first = bench.worker(manyHandlers(count));
    let stopping: Promise<void> | undefined;
    afterEachPart(first, async () => {
      stopping ??= first.stop();
      await new Promise(setImmediate);
    });
    await first.start();
    const { id } = await bench.queue.publish(paid, { order: 8 });
    await waitFor('it stops', () => stopping !== undefined);
    await stopping;
    await bench.work(manyHandlers(1));
    await bench.untilJobIs(id, 'succeeded');
    const counts = await jobsBySubscription(bench.dataSource);
    expect(counts.size).toBe(count);
    expect([...counts.values()].every((each) => each === 1)).toBe(true);
  });

  test('an event without subscriptions waits for a worker with one, and ends without jobs', async () => {
    const other = defineEvent('nobody.listens');
    const { id } = await bench.queue.publish(other);
    await bench.work([jobHandler(defineJob('plain'), () => undefined)]);
    expect((await bench.queue.find(id))?.state).toBe('ready');
    await bench.work([eventHandler(paid, { subscription: 'mailing' }, () => undefined)]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: { jobs: 0 } });
  });
});

describeEach('events and what else jobs can do', (engine) => {
  const bench = useWorkbench(engine);

  test('a schema and versions of an event hold for its subscriptions', async () => {
    const schema = z.object({ order: z.number(), at: z.string().default('now') });
    const first = defineEvent('priced', { schema });
    await expect(bench.queue.publish(first, { order: '1' as never })).rejects.toThrow(InvalidPayloadError);
    await bench.queue.publish(first, { order: 1 });
    const second = defineEvent<{ orders: number[] }>('priced', {
      version: 2,
      upcasters: { 1: ({ order }: { order: number }) => ({ orders: [order] }) },
    });
    const seen: unknown[] = [];
    await bench.work([eventHandler(second, { subscription: 'all' }, (payload) => void seen.push(payload))]);
    await bench.queue.publish(second, { orders: [2, 3] });
    await waitFor('both have run', () => bench.isEmpty());
    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([{ orders: [1] }, { orders: [2, 3] }]));
  });

  test('the codec of an event encodes it, and everything that is stored of its subscriptions', async () => {
    const secret = defineEvent<{ card: string }>('secret', { codec: aes('event') });
    const seen: unknown[] = [];
    await bench.work([
      eventHandler(secret, { subscription: 'mailing' }, ({ card }, { progress }) => {
        seen.push(card);
        progress(`sent to ${card}`);
        return card;
      }),
      eventHandler(secret, { subscription: 'books', retry: { attempts: 1 } }, ({ card }) => {
        throw new Error(`${card} is refused`);
      }),
    ]);
    const { id } = await bench.queue.publish(secret, { card: 'card of Ada' });
    await waitFor('all have ended', () => bench.isEmpty());
    expect(seen).toEqual(['card of Ada']);
    expect(await columnsWith(bench, 'card of Ada')).toEqual([]);
    expect(await bench.queue.find(id)).toMatchObject({ payload: { card: 'card of Ada' }, result: { jobs: 2 } });
    const { jobs } = await bench.queue.jobs.list({ state: 'succeeded', name: 'secret@mailing' });
    expect(await bench.queue.find(jobs[0]!.id)).toMatchObject({
      result: 'card of Ada',
      progress: 'sent to card of Ada',
    });
  });

  test('a fan-out that crashes its process again and again ends', async () => {
    const { id } = await bench.queue.publish(paid, { order: 1 });
    await bench.dataSource.query('UPDATE tq_job SET crashes = 1000');
    await bench.work([eventHandler(paid, { subscription: 'mailing' }, () => undefined)]);
    await bench.untilJobIs(id, 'failed');
    expect((await bench.queue.find(id))!.error).toContain('JobCrashedTooOftenError');
    await bench.queue.failed.retry(id);
    await bench.untilJobIs(id, 'succeeded');
  });

  test('a durable handler has steps, and a failed one is retried alone', async () => {
    const calls: string[] = [];
    let isBroken = true;
    await bench.work([
      eventHandler(paid, { subscription: 'slow', retry: { attempts: 1 } }, async ({ order }, { step }) => {
        await step('count', () => void calls.push(`count ${order}`));
        if (isBroken) {
          throw new UnrecoverableJobError('broken');
        }
        calls.push('done');
      }),
      eventHandler(paid, { subscription: 'fast' }, () => void calls.push('fast')),
    ]);
    await bench.queue.publish(paid, { order: 3 });
    await waitFor('it has failed', () => bench.isEmpty());
    isBroken = false;
    const failed = await bench.queue.failed.list();
    expect(failed.jobs.map(({ name }) => name)).toEqual(['order.paid@slow']);
    await bench.queue.failed.retry(failed.jobs[0]!.id);
    await waitFor('it is done', () => calls.includes('done'));
    expect(calls.toSorted()).toEqual(['count 3', 'done', 'fast'].toSorted());
  });

  test('jobs of a subscription are found and cancelled by their name', async () => {
    await register((handlers) => bench.worker(handlers), manyHandlers(3));
    await bench.queue.control.pause('unpolled');
    const worker = await bench.work(manyHandlers(1));
    const { id } = await bench.queue.publish(paid, { order: 1 });
    await bench.untilJobIs(id, 'succeeded');
    const name = 'order.paid@s1';
    expect((await bench.queue.jobs.list({ state: 'ready', name })).jobs).toHaveLength(1);
    expect(await bench.queue.jobs.cancel({ state: 'ready', name })).toMatchObject({ changed: 1 });
    await worker.stop();
  });

  test('names and options are checked', () => {
    for (const name of ['order.*', '**', 'a*b']) {
      expect(() => defineEvent(name)).toThrow(WildcardEventError);
      expect(() => eventHandler(name as never, { subscription: 's' }, () => undefined)).toThrow(WildcardEventError);
    }
    expect(() => eventHandler(['order.*'] as never, { subscription: 's' }, () => undefined)).toThrow(
      WildcardEventError,
    );
    for (const name of ['', 'ä', 'a b', '@a', 'a@b', 'x'.repeat(65), Symbol('s') as never, ['a'] as never]) {
      expect(() => defineEvent(name)).toThrow(InvalidNameError);
    }
    expect(() => eventHandler('order.paid' as never, { subscription: 's' }, () => undefined)).toThrow(
      InvalidOptionError,
    );
    for (const subscription of ['', 'ä', 'a@b', 'x'.repeat(64), undefined as never]) {
      expect(() => eventHandler(paid, { subscription }, () => undefined)).toThrow(InvalidNameError);
    }
    const wrong = (options: object) => () => eventHandler(paid, { subscription: 's', ...options }, () => undefined);
    for (const option of ['unique', 'order', 'tenant']) {
      expect(wrong({ [option]: () => 'a' })).toThrow(SubscriptionOptionError);
    }
    expect(wrong({ queue: EVENTS })).toThrow(/"queue" is .* reserved for published events/);
    expect(wrong({ priorities: 1 })).toThrow(UnknownOptionError);
    expect(wrong({ priority: 501 })).toThrow(InvalidOptionError);
    expect(wrong({ since: new Date('never') })).toThrow(InvalidOptionError);
    expect(wrong({ transactional: 1 })).toThrow(InvalidOptionError);
    expect(() => defineJob('a', { queue: EVENTS })).toThrow(InvalidOptionError);
    expect(() => defineJob('a@b')).toThrow(InvalidNameError);
  });

  test('the longest names are stored exactly', async () => {
    const event = defineEvent<number>(`e${':/._-9'.repeat(10)}end`);
    const subscription = 'S'.repeat(63);
    const seen: string[] = [];
    await bench.work([
      eventHandler(event, { subscription }, (_payload, { name }) => void seen.push(name)),
      eventHandler(event, { subscription: subscription.toLowerCase() }, (_payload, { name }) => void seen.push(name)),
    ]);
    await bench.queue.publish(event, 1);
    await waitFor('both have run', () => seen.length === 2);
    expect(seen.toSorted()).toEqual([`${event.name}@${subscription}`, `${event.name}@${subscription.toLowerCase()}`]);
  });

  test('a transactional handler takes effect with the end of its job', async () => {
    await bench.work([
      eventHandler(paid, { subscription: 'books', transactional: true, retry: NOW }, async ({ order }, job) => {
        await job.manager.query('INSERT INTO run (job, process) VALUES (?, 0)', [order]);
        if (job.failures === 0) {
          throw new Error('undone');
        }
      }),
    ]);
    await bench.queue.publish(paid, { order: 11 });
    await waitFor('it has ended', () => bench.isEmpty());
    expect(await bench.dataSource.query('SELECT job FROM run')).toHaveLength(1);
  });
});

describeEach(
  'events of transactions that commit late',
  (engine) => {
    const bench = useWorkbench(engine);

    test('each is fanned out, whatever was published and fanned out before its commit', async () => {
      const orders: number[] = [];
      await bench.work([eventHandler(paid, { subscription: 'mailing' }, ({ order }) => void orders.push(order))]);
      const open = Array.from({ length: 4 }, () => bench.dataSource.createQueryRunner());
      for (const [order, queryRunner] of open.entries()) {
        await queryRunner.startTransaction();
        await bench.queue.publish(paid, { order }, { queryRunner });
        await bench.queue.publish(paid, { order: order + 100 }, { outsideTransaction: true });
        await waitFor('the later one has run', () => orders.includes(order + 100));
      }
      // The newest first, so that each of the others has a lower id than those that were fanned out.
      for (const [order, queryRunner] of [...open.entries()].toReversed()) {
        expect(orders).not.toContain(order);
        await queryRunner.commitTransaction();
        await queryRunner.release();
        await waitFor('it runs', () => orders.includes(order));
      }
      await waitFor('all have ended', () => bench.isEmpty());
      expect(orders).toHaveLength(8);
    });
  },
  ['mariadb', 'mysql'],
);

import { expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  type JobHandler,
  type TableQueue,
  TableQueueJob,
  UnknownOptionError,
  UnknownSubscriptionError,
  defineEvent,
  defineJob,
  eventHandler,
} from '@tablequeue/typeorm';
import { TableQueueEvent, TableQueueSubscription } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { EVENTS, afterEachPart, jobsBySubscription, manyHandlers, paid, register } from '../support/events.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

describeEach('subscriptions of events', (engine) => {
  const bench = useWorkbench(engine);
  const start = (handlers: readonly JobHandler[]) => bench.worker(handlers);

  /** A handler that records what it gets. */
  const recording = (
    subscription: string,
    options: { since?: string | Date; queue?: string; priority?: number } = {},
  ) => {
    const orders: number[] = [];
    const handler = eventHandler(
      paid,
      { subscription, ...(options as object) },
      ({ order }) => void orders.push(order),
    );
    return { orders, handler };
  };
  const publish = async (...orders: readonly number[]) => {
    for (const order of orders) {
      const { id } = await bench.queue.publish(paid, { order });
      await bench.untilJobIs(id, 'succeeded');
    }
  };
  const inOrder = (orders: readonly number[]) => orders.toSorted((a, b) => a - b);
  const stored = async () =>
    (await bench.rows(TableQueueSubscription)).map(({ event, name, number, queue, priority }) =>
      [event, name, number, queue, priority].join(' '),
    );

  test('they are registered once, in the order of their numbers, and a change updates the row', async () => {
    await register(start, [recording('a').handler, recording('b').handler]);
    await register(start, [recording('a').handler, recording('b', { queue: 'mail', priority: -2 }).handler]);
    await register(start, [recording('c').handler]);
    expect((await stored()).toSorted()).toEqual([
      'order.paid a 1 default 0',
      'order.paid b 2 mail -2',
      'order.paid c 3 default 0',
    ]);
    const { subscriptions, next } = await bench.queue.subscriptions.list({ limit: 2 });
    expect(subscriptions).toEqual([
      {
        event: 'order.paid',
        name: 'a',
        queue: 'default',
        priority: 0,
        registeredAt: expect.any(Date),
        unhandledSince: undefined,
        unfinished: 0,
        isCapped: false,
        oldestAt: undefined,
      },
      expect.objectContaining({ name: 'b', queue: 'mail', priority: -2 }),
    ]);
    const rest = await bench.queue.subscriptions.list({ limit: 2, after: next! });
    expect(rest).toMatchObject({ subscriptions: [{ name: 'c' }], next: undefined });
    await expect(bench.queue.subscriptions.list({ after: 'nonsense' })).rejects.toThrow(InvalidOptionError);
  });

  test('changes update the rows in the order of their names, as marking them does', async () => {
    const subscribed = (priority: number) =>
      ['c', 'a', 'b'].map((subscription) => eventHandler(paid, { subscription, priority }, () => undefined));
    await register((handlers) => bench.worker(handlers), subscribed(0));
    const worker = bench.worker(subscribed(1));
    const { engine } = worker as unknown as { engine: TableQueue['engine'] };
    const sent = await statementsOf({ engine } as TableQueue, () => worker.start());
    const updates = sent.filter(({ sql }) => /UPDATE .*subscription.* SET queue/.test(sql));
    expect(updates.map(({ parameters }) => parameters.at(-1))).toEqual(['a', 'b', 'c']);
  });

  test('the list shows how far each is behind', async () => {
    await bench.queue.control.pause('slow');
    await bench.work([recording('slow', { queue: 'slow' }).handler, recording('fast').handler]);
    await publish(1, 2);
    const live = await waitFor('only the jobs of one are left', async () => {
      const jobs = await bench.liveJobs();
      return jobs.length === 2 && jobs.every(({ queue }) => queue === 'slow') ? jobs : false;
    });
    const oldestAt = new Date(Math.min(...live.map(({ createdAt }) => createdAt)));
    const list = async () => (await bench.queue.subscriptions.list()).subscriptions;
    const fast = { name: 'fast', unfinished: 0, isCapped: false, oldestAt: undefined };
    expect(await list()).toMatchObject([{ name: 'slow', unfinished: 2, isCapped: false, oldestAt }, fast]);
    const others = Array.from({ length: 1_000 }, () => ({ payload: null }));
    await bench.queue.enqueueMany(defineJob<null>('other', { queue: 'slow' }), others);
    expect(await list()).toMatchObject([{ name: 'slow', unfinished: 2, isCapped: true, oldestAt }, fast]);
  });

  test('workers that start at once register each subscription once', async () => {
    const handlers = manyHandlers(40);
    const other = defineEvent('order.sent');
    const more = Array.from({ length: 40 }, (_, index) => {
      return eventHandler(other, { subscription: `s${index}`, queue: 'unpolled' }, () => undefined);
    });
    const sets = [
      [...handlers, ...more],
      [...more.toReversed(), ...handlers.toReversed()],
      [...handlers.slice(0, 20), ...more.slice(20)],
      [...more, ...handlers],
    ];
    const workers = sets.map((each) => bench.worker(each));
    await Promise.all(workers.map((worker) => worker.start()));
    for (const event of ['order.paid', 'order.sent']) {
      const rows = (await bench.rows(TableQueueSubscription)).filter((row) => row.event === event);
      expect(inOrder(rows.map(({ number }) => number))).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
      expect(new Set(rows.map(({ name }) => name)).size).toBe(40);
    }
    expect((await bench.rows(TableQueueEvent)).map(({ lastNumber }) => lastNumber)).toEqual([40, 40]);
  });

  test('an old process fans out to a subscription that it does not know, and leaves its jobs alone', async () => {
    const old = recording('old');
    const young = recording('young');
    await register(start, [young.handler]);
    const worker = await bench.work([old.handler]);
    await publish(1);
    await waitFor('the old one has run', () => old.orders.length === 1);
    await waitFor('the job of the other is left alone', async () => {
      const jobs = await bench.rows(TableQueueJob);
      return jobs.some(
        ({ name, state, failures }) => name === 'order.paid@young' && state === 'scheduled' && failures === 0,
      );
    });
    await worker.stop();
    await bench.work([young.handler]);
    bench.clock.advance('10s');
    await bench.queue.jobs.runNow({ state: 'scheduled', name: 'order.paid@young' });
    await waitFor('it runs where its handler is', () => young.orders.length === 1);
    expect(old.orders).toEqual([1]);
  });

  test('two subscriptions of one event in one queue do not clash, and those of other events do not either', async () => {
    const other = defineEvent<{ order: number }>('order');
    const seen: string[] = [];
    const handler = (event: typeof other, subscription: string) =>
      eventHandler(event, { subscription }, ({ order }, { name }) => void seen.push(`${name} ${order}`));
    await bench.work([handler(paid, 'a'), handler(paid, 'paid.a'), handler(other, 'paid.a'), handler(other, 'a')]);
    await bench.queue.publish(paid, { order: 1 });
    await bench.queue.publish(other, { order: 2 });
    await waitFor('all have run', () => seen.length === 4);
    expect(seen.toSorted()).toEqual(
      ['order.paid@a 1', 'order.paid@paid.a 1', 'order@a 2', 'order@paid.a 2'].toSorted(),
    );
  });

  test('one that is registered during a fan-out gets the event once, and every later one', async () => {
    const first = bench.worker(manyHandlers(1_200));
    const late = recording('late', { since: '1h', queue: 'late' });
    afterEachPart(first, async (part) => {
      if (part === 1) {
        await register(start, [late.handler]);
      }
    });
    await first.start();
    await publish(1, 2);
    await bench.work([late.handler]);
    await waitFor('all is done', async () => {
      return (await bench.queue.jobs.list({ state: 'succeeded', name: '@replay' })).jobs.length === 1;
    });
    await waitFor('it has run', () => late.orders.length === 2);
    const counts = await jobsBySubscription(bench.dataSource);
    expect(counts.size).toBe(2 * 1_201);
    expect([...counts.values()].every((each) => each === 1)).toBe(true);
    expect(inOrder(late.orders)).toEqual([1, 2]);
  });

  test('since: a new one gets the events of a time once, and those that are fanned out meanwhile', async () => {
    const worker = await bench.work([recording('first').handler]);
    await publish(1, 2);
    bench.clock.advance('2h');
    await publish(3, 4);
    const late = recording('late', { since: '1h', queue: 'late' });
    await bench.work([late.handler]);
    await publish(5, 6);
    await waitFor('it has all', () => late.orders.length >= 4);
    await waitFor('the replay has ended', async () => {
      return (await bench.queue.jobs.list({ state: 'succeeded', name: '@replay' })).jobs.length === 1;
    });
    await worker.stop();
    await waitFor('all have ended', () => bench.isEmpty());
    expect(inOrder(late.orders)).toEqual([3, 4, 5, 6]);
    // It is registered already: nothing is replayed again.
    await register(start, [recording('late', { since: new Date(0), queue: 'late' }).handler]);
    expect(await bench.isEmpty()).toBe(true);
  });

  test('since: an event that was being fanned out at the registration is neither lost nor doubled', async () => {
    // A fan-out that has read its subscriptions, and whose commit comes after the registration: it is still running.
    const worker = await bench.work([recording('first').handler]);
    await publish(1);
    await worker.stop();
    const event = (await bench.rows(TableQueueJob)).find(({ queue }) => queue === EVENTS);
    const set = (text: string) => bench.dataSource.query(`UPDATE tq_job SET ${text} WHERE queue = '${EVENTS}'`);
    await set(`state = 'running', owner = 9, lane = 9, position = 1, claimed_at = ${event!.claimedAt}`);
    const late = recording('late', { since: '1h', queue: 'late' });
    await bench.work([late.handler]);
    const replay = await waitFor('it waits for that event', async () => {
      const rows = await bench.rows(TableQueueJob);
      return rows.find(({ name, attempt, state }) => name === '@replay' && attempt > 0 && state === 'scheduled');
    });
    await set(`state = CASE WHEN name = '@replay' THEN state ELSE 'succeeded' END`);
    await bench.dataSource.query(
      `UPDATE tq_job SET owner = 0, lane = 0, position = ${event!.position} WHERE queue = '${EVENTS}' AND name <> '@replay'`,
    );
    await waitFor('it goes on', async () => {
      await bench.queue.jobs.runNow(replay.id);
      return (await bench.queue.find(replay.id))?.state === 'succeeded';
    });
    await waitFor('it has the event', () => late.orders.length > 0);
    expect(late.orders).toEqual([1]);
    expect(await bench.queue.find(replay.id)).toMatchObject({ result: { jobs: 1 } });
  });

  test('a replay gives one subscription the events of a time again, also those that it has had', async () => {
    const [first, second] = [recording('first'), recording('second')];
    await bench.work([first.handler, second.handler]);
    await publish(1);
    bench.clock.advance('1h');
    await publish(2, 3);
    await waitFor('all have run', () => bench.isEmpty());
    bench.clock.advance('1h');
    await publish(4);
    const ends = (await bench.rows(TableQueueJob)).filter(({ queue }) => queue === EVENTS).map((row) => row.finishedAt);
    const [from, , to] = ends
      .toSorted((a, b) => a - b)
      .slice(1)
      .map((end) => new Date(end));
    const { id } = await bench.queue.subscriptions.replay(paid, 'second', { from: from!, to: to! });
    expect(await bench.queue.waitFor(id)).toMatchObject({ jobs: 2 });
    const all = await bench.queue.subscriptions.replay(paid, 'second', { from: '1d' });
    expect(await bench.queue.waitFor(all.id)).toMatchObject({ jobs: 4 });
    await waitFor('all have run', () => bench.isEmpty());
    expect(first.orders).toEqual([1, 2, 3, 4]);
    expect(inOrder(second.orders)).toEqual([1, 1, 2, 2, 2, 3, 3, 3, 4, 4]);
  });

  test('a replay of many events goes on behind its last part', async () => {
    const [first] = [recording('first')];
    await bench.work([first.handler], { concurrency: 50 });
    await Promise.all(Array.from({ length: 450 }, (_, order) => bench.queue.publish(paid, { order })));
    await waitFor('all have run', () => bench.isEmpty());
    await bench.stopWorkers();
    const worker = bench.worker([first.handler], { concurrency: 50 });
    let stopping: Promise<void> | undefined;
    afterEachPart(worker, async () => {
      stopping ??= worker.stop();
      await new Promise(setImmediate);
    });
    const { id } = await bench.queue.subscriptions.replay(paid, 'first', { from: '1h' });
    await worker.start();
    await waitFor('it stops', () => stopping !== undefined);
    await stopping;
    expect((await bench.queue.find(id))?.state).toBe('ready');
    await bench.work([first.handler], { concurrency: 50 });
    expect(await bench.queue.waitFor(id)).toMatchObject({ jobs: 450 });
    await waitFor('all have run', () => bench.isEmpty());
    expect(inOrder(first.orders)).toEqual(Array.from({ length: 900 }, (_, index) => Math.floor(index / 2)));
  });

  test('a replay needs a subscription, when it is asked for and when it runs', async () => {
    const replay = (name: string, options: object = { from: '1h' }) =>
      bench.queue.subscriptions.replay(paid, name, options as { from: '1h' });
    await expect(replay('gone')).rejects.toThrow(UnknownSubscriptionError);
    await expect(replay('')).rejects.toThrow(InvalidNameError);
    await expect(replay('gone', {})).rejects.toThrow(InvalidOptionError);
    await expect(replay('gone', { from: '1h', until: 1 })).rejects.toThrow(UnknownOptionError);
    const { handler } = recording('gone');
    await register(start, [handler]);
    const { id } = await replay('gone');
    expect(await bench.queue.subscriptions.remove(paid, 'gone')).toBe(true);
    await bench.work([recording('other').handler]);
    const { error } = await bench.untilJobIs(id, 'failed');
    expect(error).toContain('UnknownSubscriptionError');
  });

  test('a removed subscription gets no later event, and one that is registered again is a new one', async () => {
    const { orders, handler } = recording('mailing');
    const worker = await bench.work([handler]);
    await publish(1);
    await waitFor('it has run', () => orders.length === 1);
    expect(await bench.queue.subscriptions.remove('order.paid', 'mailing')).toBe(true);
    expect(await bench.queue.subscriptions.remove(paid, 'mailing')).toBe(false);
    await publish(2);
    await worker.stop();
    expect(await stored()).toEqual([]);
    await bench.work([handler]);
    expect(await stored()).toEqual(['order.paid mailing 2 default 0']);
    await publish(3);
    await waitFor('it has run', () => orders.length === 2);
    expect(orders).toEqual([1, 3]);
  });

  test('a removal belongs to the transaction of its caller', async () => {
    await register(start, [recording('mailing').handler]);
    await expect(
      bench.dataSource.transaction(async (manager) => {
        await bench.queue.subscriptions.remove(paid, 'mailing', { manager });
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await stored()).toHaveLength(1);
  });

  test('one that no worker handles is reported, until a worker starts', async () => {
    await register(start, [recording('mailing').handler, recording('books').handler]);
    expect((await bench.queue.health()).problems).toEqual([]);
    bench.clock.advance('6m');
    await register(start, [recording('books').handler]);
    const { problems, isHealthy } = await bench.queue.health();
    expect(isHealthy).toBe(true);
    expect(problems).toMatchObject([
      {
        kind: 'unhandled-subscriptions',
        count: 1,
        since: expect.any(Date),
        message: expect.stringContaining('"mailing"'),
      },
    ]);
    const { subscriptions } = await bench.queue.subscriptions.list();
    expect(subscriptions.map(({ name, unhandledSince }) => [name, unhandledSince !== undefined])).toEqual([
      ['mailing', true],
      ['books', false],
    ]);
    await register(start, [recording('mailing').handler]);
    expect((await bench.queue.health()).problems).toEqual([]);
  });

  test('numbers go on if the row of the event is lost', async () => {
    await register(start, [recording('a').handler, recording('b').handler]);
    await bench.dataSource.query('DELETE FROM tq_event');
    await register(start, [recording('c').handler]);
    expect(inOrder((await bench.rows(TableQueueSubscription)).map(({ number }) => number))).toEqual([1, 2, 3]);
  });
});

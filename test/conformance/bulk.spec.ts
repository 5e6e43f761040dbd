import { expect, test } from '@jest/globals';
import { type BulkRequest, InvalidNameError, InvalidOptionError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { uuidToBytes } from '@tablequeue/typeorm/internal';

import { describeOnOlderToo } from '../support/each-engine.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob('mail', { queue: 'mail' });
const text = defineJob('text', { queue: 'text' });

const NO_JOB = '019a0000-0000-7000-8000-000000000000';

describeOnOlderToo('bulk operations', (engine) => {
  const bench = useWorkbench(engine);

  const enqueue = async (count: number, options: object = {}, job = mail) => {
    const jobs = await bench.queue.enqueueMany(
      job,
      Array.from({ length: count }, () => options),
    );
    return jobs.map(({ id }) => id);
  };
  const countOf = async (state: 'ready' | 'scheduled' | 'cancelled', queue = 'mail') =>
    (await bench.queue.jobs.list({ state, queue, limit: 1_000 })).jobs.length;
  /** Starts an operation and works on it to its end. */
  const run = async (request: BulkRequest) => {
    const { id } = await bench.queue.bulk.start(request);
    return bench.queue.bulk.run(id);
  };

  test('changes what matched when it began, with one entry in the audit log', async () => {
    await enqueue(410);
    await enqueue(1, {}, text);
    const filter = { state: 'ready', queue: 'mail' } as const;
    const started = await bench.queue.bulk.start({ action: 'cancel', filter, by: 'ada' });
    expect(started).toMatchObject({ action: 'cancel', filter, by: 'ada', state: 'running', changed: 0 });
    expect(started.total).toBeUndefined();
    bench.clock.advance('1s');
    await enqueue(3);
    const done = await bench.queue.bulk.run(started.id);
    expect(done).toMatchObject({ state: 'done', total: 410, isCapped: false, changed: 410, skipped: 0 });
    expect(done?.finishedAt).toBeInstanceOf(Date);
    expect(await countOf('ready')).toBe(3);
    expect(await countOf('ready', 'text')).toBe(1);
    const { entries } = await bench.queue.activity.audit();
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ id: started.id, who: 'ada', action: 'cancel', changed: 410, skipped: 0 });
    expect(entries[0]?.detail).toEqual({ bulk: true, filter });
    expect((await bench.queue.bulk.list()).operations).toEqual([done]);
  });

  test('one search finds the jobs of several steps', async () => {
    await enqueue(1_000, { delay: '1h' });
    const { id } = await bench.queue.bulk.start({ action: 'cancel', filter: { state: 'scheduled', queue: 'mail' } });
    const sent = await statementsOf(bench.queue, () => bench.queue.bulk.run(id));
    expect(await countOf('cancelled')).toBe(1_000);
    // One counts the jobs, the other is for the three steps.
    expect(sent.filter(({ sql }) => sql.includes('ORDER BY position DESC'))).toHaveLength(2);
  });

  test('jobs that were found ahead and no longer match are skipped', async () => {
    const [last = ''] = await enqueue(500, { delay: '1h' });
    const filter = { state: 'scheduled', queue: 'mail' } as const;
    const { id } = await bench.queue.bulk.start({ action: 'priority', filter, priority: 7 });
    const { engine } = bench.queue;
    const execute = engine.execute.bind(engine);
    let moved: Promise<unknown> | undefined;
    engine.execute = async (factory, options) => {
      await moved;
      return execute(factory, options);
    };
    const done = await bench.queue.bulk.run(id, {
      onProgress: ({ changed }) => {
        moved ??=
          changed === 400
            ? bench.dataSource.query("UPDATE tq_job SET queue = 'text' WHERE id = ?", [uuidToBytes(last)])
            : undefined;
      },
    });
    engine.execute = execute;
    expect(moved).toBeDefined();
    expect(done).toMatchObject({ state: 'done', changed: 499, skipped: 1 });
    expect(await bench.queue.find(last)).toMatchObject({ queue: 'text', priority: 0 });
  });

  test('moves, changes the priority and deletes', async () => {
    const ids = await enqueue(2, { delay: '1h', priority: 3, tenant: 'acme', key: 'order:1' });
    const filter = { state: 'scheduled', tenant: 'acme' } as const;
    expect(await run({ action: 'move', filter, to: 'text' })).toMatchObject({ changed: 2, to: 'text' });
    expect(await run({ action: 'move', filter, to: 'text' })).toMatchObject({ changed: 0, skipped: 0, total: 0 });
    expect(await run({ action: 'priority', filter, priority: -7 })).toMatchObject({ changed: 2, priority: -7 });
    expect(await bench.queue.find(ids[0]!)).toMatchObject({ queue: 'text', priority: -7, state: 'scheduled' });
    expect(await run({ action: 'cancel', ids })).toMatchObject({ changed: 2, total: 2, ids: [...ids].sort() });
    expect(await run({ action: 'delete', ids: [...ids, NO_JOB] })).toMatchObject({ changed: 2, skipped: 1 });
    expect(await bench.isEmpty()).toBe(true);
    expect(await bench.queue.findByKey('order:1')).toEqual([]);
  });

  test('a moved job runs in its new queue', async () => {
    const [id] = await enqueue(1);
    const moved = defineJob('mail', { queue: 'text' });
    await bench.work([jobHandler(moved, () => 'sent')]);
    await run({ action: 'move', filter: { state: 'ready', queue: 'mail' }, to: 'text' });
    await bench.untilJobIs(id!, 'succeeded');
  });

  test('a stopped one changes no more, and another may follow', async () => {
    await enqueue(3, { delay: '1h' });
    const filter = { state: 'scheduled', queue: 'mail' } as const;
    const stopped = await bench.queue.bulk.start({ action: 'cancel', filter });
    expect(await bench.queue.bulk.stop(stopped.id)).toMatchObject({ state: 'stopped', changed: 0 });
    expect(await bench.queue.bulk.run(stopped.id)).toMatchObject({ state: 'stopped', changed: 0 });
    expect(await countOf('scheduled')).toBe(3);
    await run({ action: 'cancel', filter });
    expect(await countOf('cancelled')).toBe(3);
  });

  test('a stop with `by` is recorded, in the same transaction, if the operation ran', async () => {
    await enqueue(1, { delay: '1h' });
    const request = { action: 'cancel', filter: { state: 'scheduled' }, by: 'ada' } as const;
    const { id } = await bench.queue.bulk.start(request);
    const stops = async () => (await bench.queue.activity.audit({ action: 'stop' })).entries;
    await bench.dataSource.query('ALTER TABLE tq_audit RENAME TO away');
    try {
      await expect(bench.queue.bulk.stop(id, { by: 'bob' })).rejects.toThrow(/tq_audit/);
    } finally {
      await bench.dataSource.query('ALTER TABLE away RENAME TO tq_audit');
    }
    expect((await bench.queue.bulk.list()).operations).toMatchObject([{ id, state: 'running' }]);
    for (const by of ['bob', 'eve']) {
      expect(await bench.queue.bulk.stop(id, { by })).toMatchObject({ state: 'stopped', by: 'ada' });
    }
    expect(await bench.queue.bulk.stop(NO_JOB, { by: 'eve' })).toBeUndefined();
    expect(await stops()).toMatchObject([
      { who: 'bob', target: `bulk ${id}`, detail: undefined, changed: 1, skipped: 0 },
    ]);
    const unnamed = await bench.queue.bulk.start(request);
    await bench.queue.bulk.stop(unnamed.id, { by: null });
    expect((await stops()).map(({ who, target }) => [who, target])).toEqual([
      [undefined, `bulk ${unnamed.id}`],
      ['bob', `bulk ${id}`],
    ]);
    const silent = await bench.queue.bulk.start(request);
    expect(await bench.queue.bulk.stop(silent.id)).toMatchObject({ state: 'stopped' });
    expect(await stops()).toHaveLength(2);
    await expect(bench.queue.bulk.stop(id, { by: '' })).rejects.toThrow(InvalidOptionError);
  });

  test('a process that stops does not count to the end', async () => {
    await enqueue(3, { delay: '1h' });
    const { id } = await bench.queue.bulk.start({ action: 'cancel', filter: { state: 'scheduled' } });
    const stopping = new AbortController();
    const left = await bench.queue.bulk.run(id, { signal: stopping.signal, onProgress: () => stopping.abort() });
    expect(left).toMatchObject({ state: 'running', total: undefined, changed: 0 });
    expect(await bench.queue.bulk.run(id)).toMatchObject({ state: 'done', total: 3, changed: 3 });
  });

  test('two operations over the same jobs change each job once', async () => {
    await enqueue(850);
    const request = { action: 'cancel', filter: { state: 'ready', queue: 'mail' } } as const;
    const both = await Promise.all([run(request), run(request)]);
    expect(both.map((each) => each?.state)).toEqual(['done', 'done']);
    expect(both.reduce((sum, each) => sum + (each?.changed ?? 0), 0)).toBe(850);
    for (const each of both) {
      expect(each!.changed + each!.skipped).toBe(each!.total);
    }
  });

  if (engine !== 'sqlite') {
    test('the pruner does not wait for an operation on which a process works', async () => {
      const done = await run({ action: 'cancel', ids: [NO_JOB] });
      bench.clock.advance('91d');
      const { id } = await bench.queue.bulk.start({ action: 'cancel', ids: [NO_JOB] });
      const { pruner } = await bench.work([]);
      await bench.dataSource.transaction(async (manager) => {
        await manager.query('SELECT state FROM tq_bulk_operation WHERE id = ? FOR UPDATE', [uuidToBytes(id)]);
        await pruner.runOnce();
        expect(bench.logger.lines).toEqual([]);
      });
      expect(await bench.queue.bulk.get(done!.id)).toBeUndefined();
      expect(await bench.queue.bulk.get(id)).toMatchObject({ state: 'running' });
    });
  }

  test('refuses wrong requests', async () => {
    const filter = { state: 'failed' } as const;
    const wrong: [object, new (...args: never[]) => Error][] = [
      [{ action: 'burn', filter }, InvalidOptionError],
      [{ action: 'retry' }, InvalidOptionError],
      [{ action: 'retry', filter, ids: [] }, InvalidOptionError],
      [{ action: 'retry', ids: [] }, InvalidOptionError],
      [{ action: 'retry', ids: ['x'] }, InvalidOptionError],
      [{ action: 'cancel', filter }, InvalidOptionError],
      [{ action: 'priority', filter: { state: 'ready' } }, InvalidOptionError],
      [{ action: 'priority', filter: { state: 'ready' }, priority: 501 }, InvalidOptionError],
      [{ action: 'move', filter: { state: 'ready' }, to: 'no name' }, InvalidNameError],
      [{ action: 'move', filter: { state: 'ready' }, to: 'tablequeue.events' }, InvalidOptionError],
      [{ action: 'move', filter: { state: 'ready' }, to: 'tablequeue.alerts' }, InvalidOptionError],
      [{ action: 'move', filter: { state: 'ready', queue: 'tablequeue.alerts' }, to: 'mail' }, InvalidOptionError],
      [{ action: 'retry', filter, to: 'mail' }, InvalidOptionError],
      [{ action: 'retry', filter, by: '' }, InvalidOptionError],
    ];
    for (const [request, error] of wrong) {
      await expect(bench.queue.bulk.start(request as BulkRequest)).rejects.toThrow(error);
    }
    expect((await bench.queue.bulk.list()).operations).toEqual([]);
  });
});

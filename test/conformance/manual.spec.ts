import { expect, test } from '@jest/globals';
import {
  DuplicateJobError,
  EventJobError,
  InvalidOptionError,
  InvalidPayloadError,
  JobGroupError,
  JobKeyChangedError,
  JobLockedError,
  JobNotFoundError,
  JobOrderError,
  JobStateError,
  JobStepsError,
  TableQueue,
  TableQueueJob,
  UnknownOptionError,
  UnrecoverableJobError,
  defineEvent,
  defineJob,
  eventHandler,
  jobHandler,
} from '@tablequeue/typeorm';
import { TableQueueStep } from '@tablequeue/typeorm/internal';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const HOUR = 3_600_000;
const UNKNOWN = '019a0000-0000-7000-8000-000000000000';

const mail = defineJob('manual.mail', { queue: 'mail', schema: z.object({ to: z.string() }), version: 2 });
const versioned = defineJob<{ to: string }>('manual.versioned', {
  version: 2,
  upcasters: { 1: ({ address }: { address: string }) => ({ to: address }) },
});
const debounced = defineJob<string>('manual.debounced', {
  unique: { while: 'queued', onConflict: 'replace', maxWait: '1m' },
});
const unique = defineJob<string>('manual.unique', { unique: { while: 'unfinished' } });
const ordered = defineJob<string>('manual.ordered', { order: { by: (payload) => payload } });
const expiring = defineJob('manual.expiring', { expiresIn: '2h' });
const paid = defineEvent('manual.paid', { schema: z.object({ order: z.number() }) });
const durable = defineJob('manual.durable');
const shipped = defineJob<{ customer: { id: string } }>('manual.shipped', {
  order: { by: ({ customer }) => customer.id },
});

describeEach('what a person does to one job', (engine) => {
  const bench = useWorkbench(engine);
  const manual = () => bench.queue.manual;
  const find = (id: string) => bench.queue.jobs.find(id);
  const audit = async () =>
    (await bench.queue.activity.audit()).entries.map(({ who, action, target, detail }) => [
      who,
      action,
      target,
      detail,
    ]);
  /** A job that was cancelled. */
  const ended = async (...[definition, payload]: [typeof mail, { to: string }] | [typeof unique, string]) => {
    const { id } = await bench.queue.enqueue(definition as typeof unique, payload as string, { key: 'k', priority: 3 });
    await bench.queue.cancel(id);
    return id;
  };

  test('a job is enqueued by its name, and checked by the definition that this process has', async () => {
    const to = { to: 'ada@example.org' };
    const id = await manual().enqueue(
      { name: 'manual.mail', payload: to, delay: '1h', priority: -2, key: 'k' },
      { by: 'mary', reason: 'was lost' },
    );
    const stored = { queue: 'mail', state: 'scheduled', payload: to, payloadVersion: 2, priority: -2, key: 'k' };
    expect(await find(id)).toMatchObject(stored);
    await expect(manual().enqueue({ name: 'manual.mail', payload: {} })).rejects.toThrow(InvalidPayloadError);
    const { id: holder } = await bench.queue.enqueue(unique, 'a');
    const again = manual().enqueue({ name: 'manual.unique', payload: 'a' });
    await expect(again).rejects.toMatchObject({ name: 'DuplicateJobError', id: holder });
    await expect(manual().enqueue({ name: 'elsewhere' })).rejects.toThrow(InvalidOptionError);
    await expect(manual().enqueue({ name: 'a@b', queue: 'q' })).rejects.toThrow('a@b');
    await expect(manual().enqueue({ name: 'a', queue: 'q', nick: 1 } as never)).rejects.toThrow(UnknownOptionError);
    await expect(manual().enqueue({ name: 'a', queue: 'tablequeue.events' })).rejects.toThrow(EventJobError);
    await expect(manual().enqueue({ name: 'a', queue: 'tablequeue.alerts' })).rejects.toThrow(/reserved for alerts/);
    await expect(manual().enqueue({ name: shipped.name, payload: null })).rejects.toThrow(InvalidPayloadError);
    const other = await manual().enqueue({ name: 'elsewhere', queue: 'mial', payload: [1] });
    expect(await find(other)).toMatchObject({ queue: 'mial', state: 'ready', payload: [1], payloadVersion: 1 });
    expect(await audit()).toEqual([
      ['mary', 'enqueue', `job ${id}`, { name: 'manual.mail', queue: 'mail', reason: 'was lost' }],
    ]);
    // It is no queue of a definition now.
    await new TableQueue(bench.dataSource, { logger: bench.logger }).control.pause('mial');
    expect(bench.logger.lines).toEqual([expect.stringContaining('Did you mean "mail"?')]);
  });

  test('a job is retried with another payload, once', async () => {
    const id = await ended(mail, { to: 'bob' });
    await expect(manual().retry(id, { to: 1 })).rejects.toThrow(InvalidPayloadError);
    await manual().retry(id, { to: 'ada' }, { by: 'mary' });
    await expect(manual().retry(id, { to: 'eve' })).rejects.toThrow(JobStateError);
    expect(await find(id)).toMatchObject({ state: 'ready', payload: { to: 'ada' } });
    await expect(manual().retry(UNKNOWN, {})).rejects.toThrow(JobNotFoundError);
    expect(await audit()).toEqual([['mary', 'retry', `job ${id}`, { payload: 'edited' }]]);
    const second = await ended(mail, { to: 'bob' });
    const both = await Promise.allSettled(['ada', 'eve'].map((to) => manual().retry(second, { to })));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const { reason } = both.find((each) => each.status === 'rejected') as PromiseRejectedResult;
    expect([JobStateError, JobLockedError].some((each) => reason instanceof each)).toBe(true);
  });

  test('a retry never changes keys, and never breaks a durable job or a group', async () => {
    const id = await ended(unique, 'a');
    await expect(manual().retry(id, 'b')).rejects.toThrow(JobKeyChangedError);
    const { id: holder } = await bench.queue.enqueue(unique, 'a');
    await expect(manual().retry(id, 'a')).rejects.toMatchObject({ name: 'DuplicateJobError', id: holder });
    expect(await find(id)).toMatchObject({ state: 'cancelled', payload: 'a' });
    const { id: parked } = await bench.queue.enqueue(durable);
    await bench.work([jobHandler(durable, (_payload, job) => job.sleep('1h'))]);
    await bench.untilJobIs(parked, 'scheduled');
    await expect(manual().reschedule(parked, { delay: '2h' })).rejects.toThrow(JobStepsError);
    await bench.queue.cancel(parked);
    await expect(manual().retry(parked, 'other')).rejects.toThrow(JobStepsError);
  });

  test('a job of a subscription is checked by the schema of its event, which is not copied', async () => {
    const handler = eventHandler(paid, { subscription: 'mailing' }, () =>
      Promise.reject(new UnrecoverableJobError('x')),
    );
    await bench.work([handler]);
    const event = await bench.queue.publish(paid, { order: 1 });
    await expect(manual().copy(event.id)).rejects.toThrow(EventJobError);
    const failed = await waitFor('it has failed', async () => (await bench.queue.failed.list()).jobs[0]);
    await expect(manual().retry(failed.id, { order: 'one' })).rejects.toThrow(InvalidPayloadError);
    await manual().copy(failed.id, { payload: { order: 2 }, delay: '1h' });
  });

  test('a copy has another id and notes its origin', async () => {
    const id = await ended(mail, { to: 'bob' });
    const copy = await manual().copy(id);
    const common = { queue: 'mail', name: 'manual.mail', priority: 3, key: 'k', payloadVersion: 2, attempt: 0 };
    expect(await find(copy)).toMatchObject({ ...common, state: 'ready', payload: { to: 'bob' } });
    const edited = await manual().copy(id, { payload: { to: 'ada' }, delay: '1h', by: 'mary', reason: 'why' });
    expect(await find(edited)).toMatchObject({ ...common, state: 'scheduled', payload: { to: 'ada' } });
    expect(await find(id)).toMatchObject({ state: 'cancelled', payload: { to: 'bob' } });
    await expect(manual().copy(id, { payload: {} })).rejects.toThrow(InvalidPayloadError);
    expect(await audit()).toEqual([
      ['mary', 'copy', `job ${edited}`, { copyOf: id, payload: 'edited', reason: 'why' }],
      [undefined, 'copy', `job ${copy}`, { copyOf: id }],
    ]);
    const { id: holder } = await bench.queue.enqueue(unique, 'a');
    await expect(manual().copy(holder)).rejects.toThrow(DuplicateJobError);
    const other = await manual().copy(holder, { payload: 'b' });
    await expect(bench.queue.enqueue(unique, 'b')).resolves.toMatchObject({ id: other, created: false });
    const { id: first } = await bench.queue.enqueue(ordered, 'a');
    const behind = await manual().copy(first);
    expect(await find(behind)).toMatchObject({ state: 'waiting', order: { key: 'a', head: first } });
    await expect(manual().reschedule(behind, { delay: '1h' })).rejects.toThrow(JobOrderError);
  });

  test('an edited payload is of the version of the stored one', async () => {
    const { id } = await bench.queue.enqueue(versioned, { to: 'bob' }, { unique: { key: 'order:42' } });
    await bench.queue.cancel(id);
    const store = (payloadVersion: number) =>
      bench.dataSource.getRepository(TableQueueJob).update({ name: versioned.name }, { payloadVersion });
    await store(3);
    await expect(manual().retry(id, { address: 'ada' })).rejects.toThrow('version 3');
    await store(1);
    const copy = await manual().copy(id, { payload: { address: 'eve' } });
    expect(await find(copy)).toMatchObject({ payload: { to: 'eve' }, payloadVersion: 2 });
    // The copy has the unique key that was given at the enqueue.
    await expect(manual().retry(id, { address: 'ada' })).rejects.toThrow(DuplicateJobError);
    await bench.queue.cancel(copy);
    await manual().retry(id, { address: 'ada' });
    expect(await find(id)).toMatchObject({ state: 'ready', payload: { to: 'ada' }, payloadVersion: 2 });
  });

  test('a job of a definition with maxWait gets any time', async () => {
    const id = await manual().enqueue({ name: debounced.name, payload: 'a', delay: '2h' });
    expect((await find(id))?.state).toBe('scheduled');
    const runAt = new Date(Date.now() + 3 * HOUR);
    expect((await find(await manual().copy(id, { payload: 'b', runAt })))?.runAt).toEqual(runAt);
  });

  test('a job gets another time, and its expiry time moves along', async () => {
    const { id } = await bench.queue.enqueue(expiring, undefined, { delay: '1h' });
    const before = (await find(id))!;
    const runAt = new Date(before.runAt.getTime() + HOUR);
    await manual().reschedule(id, { runAt, by: 'mary' });
    const expiresAt = new Date(before.expiresAt!.getTime() + HOUR);
    expect(await find(id)).toMatchObject({ state: 'scheduled', runAt, expiresAt });
    await manual().reschedule(id, { runAt: new Date(0) });
    expect((await find(id))!.state).toBe('ready');
    await manual().reschedule(id, { delay: '1h' });
    expect((await find(id))!.state).toBe('scheduled');
    expect(await audit()).toEqual([['mary', 'reschedule', `job ${id}`, { to: runAt.toISOString() }]]);
    await expect(manual().reschedule(id, {})).rejects.toThrow(InvalidOptionError);
    const { onComplete } = await bench.queue.groups.enqueue({
      jobs: [{ definition: expiring, delay: '1h' }],
      onComplete: { definition: expiring },
    });
    await expect(manual().reschedule(onComplete!, { delay: '1h' })).rejects.toThrow(JobGroupError);
    const { runs, handler } = heldHandler(expiring);
    await bench.work([handler]);
    // Its attempt was timed out behind a checkpoint.
    const { id: jobId } = await bench.queue.enqueue(durable, undefined, { delay: '1h' });
    const step = { jobId, kind: 'step', name: 'import', state: 'open', value: '1' } as const;
    await bench.dataSource.getRepository(TableQueueStep).insert({ ...step, seq: 1, attempt: 1, recordedAt: 1 });
    await manual().reschedule(jobId, { delay: '2h' });
    await manual().reschedule(id, { delay: 0 });
    await waitFor('it runs', () => runs.length === 1);
    await expect(manual().reschedule(id, { delay: 0 })).rejects.toThrow(JobStateError);
    await expect(manual().delete(id)).rejects.toThrow(JobStateError);
    runs[0]!.end();
    await bench.untilJobIs(id, 'succeeded');
    await manual().delete(id, { by: 'mary', reason: 'personal data' });
    await expect(manual().delete(id)).rejects.toThrow(JobNotFoundError);
    expect((await audit())[0]).toEqual([
      'mary',
      'delete',
      `job ${id}`,
      { name: 'manual.expiring', queue: 'default', reason: 'personal data' },
    ]);
  });
});

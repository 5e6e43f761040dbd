import 'reflect-metadata';

import { expect, test } from '@jest/globals';
import type { JobDetail, Me } from '@tablequeue/dashboard';
import { defineJob } from '@tablequeue/typeorm';

import { oneDashboard } from '../support/one-dashboard.js';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';

const mail = defineJob<{ to: string; card?: string }>('one.mail', { queue: 'one' });
const unique = defineJob<string>('one.unique', { queue: 'one', unique: { key: (payload) => payload } });

const startDashboard = oneDashboard();

test('one job is edited, copied, rescheduled, deleted and enqueued by hand', async () => {
  const app = await startDashboard({ dashboard: { public: true, role: () => 'operator', who: () => 'ada' } });
  const queue = app.queue();
  const { id } = await queue.enqueue(mail, { to: 'bob' });
  const post = (path: string, body: object = {}) => app.write('POST', path, body);
  expect(await app.read<JobDetail>(`jobs/${id}`)).toMatchObject({ manual: ['copy', 'edit-copy', 'reschedule'] });
  expect(await post(`jobs/${id}/edit`, { payload: 1 })).toMatchObject({ status: 409 });
  expect(await post(`jobs/${id}/delete`)).toMatchObject({ status: 409 });
  const runAt = Date.now() + 3_600_000;
  expect(await post(`jobs/${id}/reschedule`, { runAt })).toMatchObject({ body: { state: 'scheduled', runAt } });
  await queue.cancel(id);
  const edit = { payload: { to: 'eve' }, reason: 'wrong address' };
  expect(await post(`jobs/${id}/edit`, edit)).toMatchObject({ body: { state: 'ready', payload: { to: 'eve' } } });
  const copy = ((await post(`jobs/${id}/copy`)).body as { id: string }).id;
  expect(await queue.find(copy)).toMatchObject({ payload: { to: 'eve' }, state: 'ready' });
  await queue.cancel(copy);
  expect(await post(`jobs/${copy}/delete`, { reason: 'twice' })).toMatchObject({ body: { id: copy } });
  const enqueue = { queue: 'one', name: 'one.unique', payload: 'a', priority: 3, delay: 60_000 };
  const enqueued = ((await post('jobs/enqueue', enqueue)).body as { id: string }).id;
  expect(await queue.find(enqueued)).toMatchObject({
    name: unique.name,
    payload: 'a',
    priority: 3,
    state: 'scheduled',
  });
  expect(await post('jobs/enqueue', enqueue)).toMatchObject({ status: 409, body: { type: 'tablequeue:conflict' } });
  expect(await post('jobs/enqueue', { ...enqueue, payload: 1 })).toMatchObject({ status: 400 });
  expect(await post('jobs/enqueue', { ...enqueue, queue: 'misspelled' })).toMatchObject({ status: 404 });
  expect(await post(`jobs/${UNKNOWN}/copy`)).toMatchObject({ status: 404 });
  const { entries } = await queue.activity.audit();
  expect(entries.map(({ who, action, detail }) => [who, action, detail])).toEqual([
    ['ada', 'enqueue', { name: 'one.unique', queue: 'one' }],
    ['ada', 'delete', { name: 'one.mail', queue: 'one', reason: 'twice' }],
    ['ada', 'copy', { copyOf: id }],
    ['ada', 'retry', { payload: 'edited', reason: 'wrong address' }],
    ['ada', 'reschedule', { to: new Date(runAt).toISOString() }],
  ]);
});

test.each([
  ['hidden', { payloads: 'hidden' }],
  ['redacted', { redact: (payload: unknown) => ({ ...(payload as object), card: '…' }) }],
] as const)('payloads that are %s are not edited, and copied as they are', async (_how, options) => {
  const app = await startDashboard({ dashboard: { public: true, role: () => 'operator', ...options } });
  const { id } = await app.queue().enqueue(mail, { to: 'bob', card: '4242' });
  await app.queue().cancel(id);
  expect(await app.read<JobDetail>(`jobs/${id}`)).toMatchObject({ manual: ['copy', 'delete'] });
  const payload = { to: 'eve', card: '…' };
  expect(await app.write('POST', `jobs/${id}/edit`, { payload })).toMatchObject({ status: 409 });
  expect(await app.write('POST', `jobs/${id}/copy`, { payload })).toMatchObject({ status: 409 });
  const { body } = await app.write('POST', `jobs/${id}/copy`, {});
  expect((await app.queue().find((body as { id: string }).id))?.payload).toEqual({ to: 'bob', card: '4242' });
  const { id: holder } = await app.queue().enqueue(unique, 'secret');
  const again = await app.write('POST', `jobs/${holder}/copy`, {});
  expect(again).toMatchObject({ status: 409, body: { detail: `Job ${holder} has the unique key of this job.` } });
  const { maySetPayloads } = await app.read<Me>('me');
  expect(maySetPayloads).toBe(!('payloads' in options));
  const enqueued = await app.write('POST', 'jobs/enqueue', { queue: 'one', name: 'one.mail', payload });
  expect(enqueued.status).toBe(maySetPayloads ? 200 : 409);
});

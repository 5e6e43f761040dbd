import { expect, test } from '@jest/globals';
import type { AuditPage, BlockedKeyPage, FailedErrors, JobDetail, JobPage } from '@tablequeue/dashboard';
import { TableQueueWorker, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { waitFor } from '../support/wait-for.js';
import { type Api, UNKNOWN, durable, inBulk, mail } from './api-application.js';

/** Tests of actions on jobs. */
export function actionTests(api: Api): void {
  test('a durable job is shown with its steps, gets signals, and is retried from a step', async () => {
    const { id } = await api.queue.enqueue(durable, 4);
    await api.until(id, 'waiting');
    const path = `jobs/${id}`;
    expect((await api.app.read<JobDetail>(path)).steps).toMatchObject([
      { name: 'one', kind: 'step', state: 'done', took: expect.any(Number), awaits: [], children: null },
      { name: 'go', kind: 'signal', state: 'open', took: null, awaits: ['go'], dueAt: null },
    ]);
    expect((await api.app.write('POST', `${path}/retry-from`, { from: 'one' })).status).toBe(409);
    expect((await api.app.write('POST', `${path}/signal`, { signal: '' })).status).toBe(400);
    expect((await api.app.write('POST', `jobs/${UNKNOWN}/signal`, { signal: 'go' })).status).toBe(404);
    expect((await api.app.write('POST', `${path}/signal`, { signal: 'go', data: 'fail' })).status).toBe(200);
    await api.until(id, 'failed');
    const failed = await api.app.read<JobDetail>(path);
    expect(failed.steps).toMatchObject([
      { name: 'one' },
      { name: 'go', state: 'done', awaits: [] },
      { name: 'fine', kind: 'child', state: 'done', children: { jobs: 1, succeeded: 1, members: [{ name: 'fine' }] } },
      { name: 'two', state: 'failed', failures: 1, error: 'Error: cannot go on' },
    ]);
    const child = failed.steps[2]!.children!.members[0]!;
    expect((await api.app.read<JobDetail>(`jobs/${child.id}`)).parent).toMatchObject({ id, name: 'durable' });
    expect((await api.app.write('POST', `${path}/retry-from`, { from: 'three' })).status).toBe(400);
    expect((await api.app.write('POST', `${path}/signal`, { signal: 'go' })).status).toBe(409);
    expect((await api.app.write('POST', `${path}/retry-from`, { from: 'go' })).status).toBe(200);
    await api.until(id, 'waiting');
    await api.app.write('POST', `${path}/signal`, { signal: 'go' });
    await api.until(id, 'succeeded');
    expect(await api.app.read<JobDetail>(path)).toMatchObject({ result: { doubled: 8 } });
    const { entries } = await api.app.read<AuditPage>('audit');
    const done = entries.filter(({ outcome }) => outcome === '1 changed');
    expect(done.map(({ who, action, target, detail }) => [who, action, target, detail])).toEqual([
      ['ada', 'signal', `job ${id}`, 'signal go'],
      ['ada', 'retry', `job ${id}`, 'from go'],
      ['ada', 'signal', `job ${id}`, 'signal go'],
    ]);
  });

  test('a job can run now, be retried and cancelled, and get another priority', async () => {
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' }, { delay: '1h' });
    expect((await api.app.write('PUT', `jobs/${id}/priority`, { priority: -5 })).body).toMatchObject({ priority: -5 });
    expect((await api.app.write('POST', `jobs/${id}/run-now`)).body).toMatchObject({ state: 'ready', priority: -5 });
    expect(await api.stateOf(id)).toBe('ready');
    expect((await api.app.write('POST', `jobs/${id}/cancel`)).body).toMatchObject({ state: 'cancelled' });
    expect(await api.stateOf(id)).toBe('cancelled');
    expect((await api.app.write('POST', `jobs/${id}/retry`)).body).toMatchObject({ state: 'ready' });
    expect(await api.stateOf(id)).toBe('ready');
  });

  test('a blocked order key is listed, and its failed job can be skipped', async () => {
    const change = defineJob<number>('change', { queue: 'mail', order: { by: () => 'account 1' } });
    const [first, second] = await api.queue.enqueueMany(change, [{ payload: 1 }, { payload: 2 }]);
    const order = { key: 'account 1', head: first?.id, blockedAt: null };
    expect(await api.app.read<JobDetail>(`jobs/${first?.id}`)).toMatchObject({ order: { ...order, ahead: null } });
    expect(await api.app.read<JobDetail>(`jobs/${second?.id}`)).toMatchObject({ order: { ...order, ahead: 0 } });
    expect((await api.app.write('POST', `jobs/${first?.id}/skip`)).status).toBe(409);
    const worker = new TableQueueWorker(api.queue, [
      jobHandler(change, () => {
        throw new UnrecoverableJobError('no such account');
      }),
    ]);
    await worker.start();
    await waitFor('it has failed', async () => (await api.stateOf(first!.id)) === 'failed');
    await worker.stop();
    expect((await api.app.read<BlockedKeyPage>('jobs/blocked-keys')).keys).toEqual([
      { name: 'change', key: 'account 1', jobId: first?.id, blockedAt: expect.any(Number), behind: 1 },
    ]);
    expect((await api.app.read<JobDetail>(`jobs/${first?.id}`)).actions).toEqual(['retry', 'skip']);
    const skipped = await api.app.write('POST', `jobs/${first?.id}/skip`);
    expect(skipped).toMatchObject({ status: 200, body: { state: 'failed', actions: ['retry'] } });
    expect(await api.stateOf(second!.id)).toBe('ready');
  });

  test('failed jobs are listed by error, and retried', async () => {
    const pay = defineJob('pay', { queue: 'mail' });
    const { id } = await api.queue.enqueue(pay);
    const worker = new TableQueueWorker(api.queue, [
      jobHandler(pay, () => {
        throw new UnrecoverableJobError('no account 4711');
      }),
    ]);
    await worker.start();
    await waitFor('it has failed', async () => (await api.stateOf(id)) === 'failed');
    await worker.stop();
    const title = 'UnrecoverableJobError: no account <number>';
    const failures = await waitFor('the failure is listed', async () => {
      const found = await api.app.read<FailedErrors>('jobs/failures');
      return found.errors.some((error) => error.title === title) ? found : undefined;
    });
    const error = failures.errors.find((each) => each.title === title)!;
    expect(error).toMatchObject({ count: 1, exampleId: id, firstAt: error.lastAt });
    const muting = `jobs/failures/${error.fingerprint}`;
    const { body: muted } = await api.app.write('POST', `${muting}/mute`, { duration: '1h' });
    const mutedUntil = async () => {
      const { errors } = await api.app.read<FailedErrors>('jobs/failures');
      return errors.find(({ fingerprint }) => fingerprint === error.fingerprint)?.mutedUntil;
    };
    expect(muted).toEqual({ fingerprint: error.fingerprint, mutedUntil: await mutedUntil() });
    expect(await mutedUntil()).toBeGreaterThan(error.lastAt);
    const { entries } = await api.app.read<AuditPage>('audit?action=mute');
    expect(entries[0]).toMatchObject({ who: 'ada', target: `error ${error.fingerprint}`, detail: 'duration 1h' });
    await api.app.write('POST', `${muting}/unmute`);
    expect(await mutedUntil()).toBeNull();
    const listed = await api.app.read<JobPage>(`jobs?state=failed&fingerprint=${error.fingerprint}`);
    expect(listed.jobs.map((job) => job.id)).toEqual([id]);
    const filter = { state: 'failed', fingerprint: error.fingerprint };
    expect(await inBulk(api, { action: 'retry', filter })).toMatchObject({ state: 'done', changed: 1 });
    expect(await api.stateOf(id)).toBe('ready');
    await api.app.write('POST', `jobs/${id}/cancel`);
    expect(
      (await api.app.write('POST', 'jobs/bulk', { action: 'retry', filter: { ...filter, fingerprint: 'x' } })).status,
    ).toBe(400);
  });

  test('a retry of a job whose unique key another job has is a conflict that names that job', async () => {
    const unique = { key: 'one' };
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' }, { unique });
    await api.queue.cancel(id);
    const { id: holder } = await api.queue.enqueue(mail, { to: 'bob@example.com' }, { unique });
    expect(await api.app.write('POST', `jobs/${id}/retry`)).toMatchObject({
      status: 409,
      body: { type: 'tablequeue:conflict', detail: `Job ${holder} has the unique key of this job.` },
    });
    expect(await api.stateOf(id)).toBe('cancelled');
  });

  test('an action that the state does not allow is a conflict, and an unknown name is not found', async () => {
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' });
    for (const action of ['retry', 'run-now']) {
      expect(await api.app.write('POST', `jobs/${id}/${action}`)).toMatchObject({
        status: 409,
        body: { type: 'tablequeue:conflict', detail: expect.stringContaining('The job is ready') },
      });
      expect((await api.app.write('POST', `jobs/${UNKNOWN}/${action}`)).status).toBe(404);
    }
    expect(await api.stateOf(id)).toBe('ready');
    expect((await api.app.get(`jobs/${UNKNOWN}`)).status).toBe(404);
    expect((await api.app.write('POST', 'queues/no-such-queue/pause')).status).toBe(404);
    expect(await api.queue.control.list()).toEqual([]);
    expect((await api.app.write('POST', 'schedules/none/run')).status).toBe(404);
  });
}

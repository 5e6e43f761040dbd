import { expect, test } from '@jest/globals';
import type {
  AuditPage,
  BlockedKeyPage,
  BulkOperation,
  BulkPage,
  BulkPreview,
  FailedErrors,
  JobDetail,
  JobLog,
  JobPage,
  JobSearchPage,
} from '@tablequeue/dashboard';
import { TableQueueJob, TableQueueWorker, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { waitFor } from '../support/wait-for.js';
import { type Api, durable, fine, mail, report, unlucky } from './api-application.js';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';

/** Tests of lists of jobs, single jobs and actions on jobs. */
export function jobTests(api: Api): void {
  /** Starts a bulk operation, and returns it at its end. */
  const inBulk = async (request: object): Promise<BulkOperation> => {
    const { body } = await api.app.write('POST', 'jobs/bulk', request);
    return waitFor('the operation has ended', async () => {
      const { operations } = await api.app.read<BulkPage>('jobs/bulk');
      return operations.find(({ id, state }) => id === (body as BulkOperation).id && state !== 'running');
    });
  };

  test('the page of a job shows any progress, redacted; the list shows numbers only', async () => {
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' });
    const setProgress = (progress: unknown) =>
      api.app.app.get(DataSource).query('UPDATE tq_job SET progress = ?', [JSON.stringify(progress)]);
    const shown = async () => {
      const { progress } = await api.app.read<JobDetail>(`jobs/${id}`);
      const [row] = (await api.app.read<JobPage>('jobs?state=ready')).jobs;
      return [progress, row!.progress];
    };
    await setProgress({ page: 3, pages: 12, card: '4111' });
    expect(await shown()).toEqual([{ page: 3, pages: 12, card: '…' }, null]);
    await setProgress(0.5);
    await waitFor('both were read again', async () => (await shown()).every((progress) => progress === 0.5));
  });

  test('values of a codec that the dashboard lacks are shown as such, and not to redact', async () => {
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' });
    const encoded = 'codec:aes-2025,AAAA';
    await api.app.app
      .get(DataSource)
      .query('UPDATE tq_job SET payload = ?, progress = ?, last_error = ?', [encoded, encoded, encoded]);
    const why = 'cannot be decoded: codec aes-2025 is not known here';
    expect(await api.app.read<JobDetail>(`jobs/${id}`)).toMatchObject({
      payload: why,
      progress: why,
      result: null,
      error: why,
      isRedacted: false,
      undecoded: ['payload', 'progress'],
    });
    const row = await waitFor('the list was read again', async () => {
      return (await api.app.read<JobPage>('jobs?state=ready')).jobs.find((job) => job.error !== null);
    });
    expect(row).toMatchObject({ id, progress: null, error: why });
  });

  test('the log of a job is shown page by page, redacted', async () => {
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' });
    const path = `jobs/${id}/log`;
    expect(await api.app.read<JobLog>(path)).toEqual({ lines: [], isHidden: false });
    const rows = [
      [1, 1, 'first', '{"card":"4111"}', 0],
      [2, 1, 'second', null, 0],
      [2, 2, '3 more lines', null, 3],
    ];
    for (const [attempt, seq, message, fields, dropped] of rows) {
      await api.app.app.get(DataSource).query(
        `INSERT INTO tq_log (job_id, attempt, seq, logged_at, level, message, fields, dropped)
           SELECT id, ?, ?, 1000, 'info', ?, ?, ? FROM tq_job`,
        [attempt, seq, message, fields, dropped],
      );
    }
    const line = { attempt: 2, seq: 1, loggedAt: 1000, level: 'info', message: 'second', fields: null, dropped: 0 };
    const { lines } = await waitFor('it was read again', async () => {
      const log = await api.app.read<JobLog>(path);
      return log.lines.length === 3 && log;
    });
    expect(lines).toEqual([
      { ...line, attempt: 1, message: 'first', fields: { card: '4111' } },
      line,
      { ...line, seq: 2, message: '3 more lines', dropped: 3 },
    ]);
    const rest = await api.app.read<JobLog>(`${path}?attempt=2&seq=1`);
    expect(rest.lines.map(({ message }) => message)).toEqual(['3 more lines']);
    expect((await api.app.get(`jobs/${UNKNOWN}/log`)).status).toBe(404);
  });

  test('interrupted attempts are listed too', async () => {
    const attemptsAfter = async (attempt: number, crashes: number) => {
      const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' });
      await api.app.app.get(DataSource).query('UPDATE tq_job SET attempt = ?, crashes = ?', [attempt, crashes]);
      const { attempts } = await api.app.read<JobDetail>(`jobs/${id}`);
      return attempts.map((each) => `${each.attempt} ${each.outcome}`);
    };
    expect(await attemptsAfter(2, 2)).toEqual(['1 crashed', '2 crashed']);
    // One of the two was returned, and the data does not show which.
    expect(await attemptsAfter(2, 1)).toEqual(['1 interrupted', '2 interrupted']);
    expect(await attemptsAfter(30, 0)).toHaveLength(20);
  });

  test('jobs are found by filters, page by page', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) {
      ids.push(
        (await api.queue.enqueue(mail, { to: `${number}@example.com` }, { key: `order:${number % 2}`, delay: '1h' }))
          .id,
      );
    }
    const first = await api.app.read<JobPage>('jobs?state=scheduled&queue=mail&limit=3');
    expect(first.jobs).toHaveLength(3);
    const second = await api.app.read<JobPage>(`jobs?state=scheduled&queue=mail&limit=3&cursor=${first.next}`);
    expect([...first.jobs, ...second.jobs].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(second.next).toBeNull();
    const keyed = await api.app.read<JobPage>('jobs?state=scheduled&key=order:1');
    expect(keyed.jobs.map(({ id }) => id).toSorted()).toEqual([ids[1] as string, ids[3] as string].toSorted());
    const failed = await api.failedJob(7);
    const found = await api.app.read<JobPage>(
      `jobs?state=failed&error=${encodeURIComponent('cannot do 7')}&name=broken`,
    );
    expect(found.jobs).toMatchObject([{ id: failed, error: 'Error: cannot do 7', failures: 1 }]);
    expect((await api.app.read<JobPage>('jobs?state=failed&error=nothing-like-it')).jobs).toEqual([]);
  });

  test('a job that waits for its retry is found by its error, and can run now', async () => {
    const jobs = await Promise.all([7, 8].map((number) => api.queue.enqueue(unlucky, number)));
    await Promise.all(jobs.map(({ id }) => api.until(id, 'scheduled')));
    const [wanted] = jobs;
    const filter = { state: 'scheduled', error: 'could not do 7' };
    const found = await api.app.read<JobPage>(`jobs?state=scheduled&error=${encodeURIComponent(filter.error)}`);
    expect(found.jobs).toMatchObject([{ id: wanted!.id, error: 'Error: could not do 7', failures: 1 }]);
    const preview = await api.app.write('POST', 'jobs/preview', { action: 'run-now', filter });
    expect(preview.body).toEqual({ matching: { count: 1, isCapped: false } });
    const done = await inBulk({ action: 'run-now', filter });
    expect(done).toMatchObject({ state: 'done', changed: 1, skipped: 0 });
    await api.until(wanted!.id, 'failed');
  });

  test('a job is shown with its attempts, and redacted', async () => {
    const { id } = await api.queue.enqueue(
      mail,
      { to: 'ada@example.com', card: '4242' },
      { delay: '1h', tenant: 'shop' },
    );
    const job = await api.app.read<JobDetail>(`jobs/${id}`);
    expect(job).toMatchObject({
      payload: { to: 'ada@example.com', card: '…' },
      isRedacted: true,
      tenant: 'shop',
      actions: ['run-now', 'cancel', 'priority'],
    });
    const failed = await api.app.read<JobDetail>(`jobs/${await api.failedJob(3)}`);
    expect(failed).toMatchObject({ payload: 3, isRedacted: false, actions: ['retry'] });
    expect(failed.attempts).toMatchObject([
      { attempt: 1, outcome: 'failed', error: 'Error: cannot do 3', stack: expect.stringContaining('Handlers.fail') },
    ]);
    expect(failed.startedAt).not.toBeNull();
    expect(failed.attempts).toMatchObject([{ startedAt: failed.startedAt, endedAt: expect.any(Number) }]);
    const { id: retried } = await api.queue.enqueue(unlucky, 3);
    await api.until(retried, 'scheduled');
    await api.app.write('POST', `jobs/${retried}/run-now`);
    await api.until(retried, 'failed');
    const { attempts } = await api.app.read<JobDetail>(`jobs/${retried}`);
    const times = attempts.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]);
    expect(times).toHaveLength(4);
    expect(times).toEqual(times.toSorted((one, other) => Number(one) - Number(other)));
    const done = await api.queue.enqueue(fine, 21);
    await api.until(done.id, 'succeeded');
    expect(await api.app.read<JobDetail>(`jobs/${done.id}`)).toMatchObject({ result: { doubled: 42 }, actions: [] });
  });

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

  test('the response contains the allowed actions of a state, and the group of a job', async () => {
    const { jobs, onComplete, onFailure } = await api.queue.groups.enqueue({
      jobs: [{ definition: mail, payload: { to: 'ada@example.com' } }],
      onFailure: { definition: report },
      onComplete: { definition: report },
    });
    expect((await api.app.read<JobPage>('jobs?state=waiting')).actions).toEqual(['cancel', 'priority', 'move']);
    expect((await api.app.read<JobPage>('jobs?state=succeeded')).actions).toEqual(['delete']);
    const [member] = jobs;
    expect(await api.app.read<JobDetail>(`jobs/${onComplete}`)).toMatchObject({
      actions: ['cancel', 'priority'],
      waitsFor: { jobs: 1, pending: 1, members: [{ id: member?.id, name: 'mail.send', state: 'ready' }] },
      followedBy: [],
    });
    const links = [onFailure, onComplete].map((id) => ({ id, name: 'report', state: 'waiting' }));
    expect(await api.app.read<JobDetail>(`jobs/${member?.id}`)).toMatchObject({ waitsFor: null, followedBy: links });
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

  test('a text is searched in all states, and a redacting dashboard refuses to search payloads', async () => {
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' }, { key: 'order:42', delay: '1h' });
    const other = (await api.queue.enqueue(mail, { to: 'ada@example.com' }, { tenant: 'order:42', delay: '1h' })).id;
    await api.queue.cancel(other);
    const path = `jobs/search?text=${encodeURIComponent('order:42')}`;
    const page = await api.app.read<JobSearchPage>(path);
    expect(page).toMatchObject({ next: null, searchedSince: null, encodedBy: [] });
    expect(page.jobs.map((job) => [job.id, job.state, job.foundIn])).toEqual([
      [id, 'scheduled', 'key'],
      [other, 'cancelled', 'tenant'],
    ]);
    const cancelled = await api.app.read<JobSearchPage>(`${path}&state=cancelled&payload=false`);
    expect(cancelled.jobs.map((job) => job.id)).toEqual([other]);
    expect(cancelled.counts).toMatchObject({ scheduled: { count: 1, isCapped: false }, ready: { count: 0 } });
    const first = await api.app.read<JobSearchPage>(`${path}&limit=1`);
    expect(first.counts.scheduled).toEqual({ count: 1, isCapped: true });
    expect(await api.app.read<JobSearchPage>(`${path}&cursor=${first.next}`)).toMatchObject({ jobs: [{ id: other }] });
    expect(await api.app.get(`${path}&payload=true`)).toMatchObject({
      status: 403,
      body: { type: 'tablequeue:forbidden', parameter: 'payload', detail: expect.stringContaining('redacts payloads') },
    });
    expect((await api.app.get('jobs/search')).status).toBe(400);
    expect((await api.app.get(`jobs/search?text=${'x'.repeat(1_001)}`)).status).toBe(400);
    expect((await api.app.get('jobs/search?text=%00')).status).toBe(400);
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
    expect(await inBulk({ action: 'retry', filter })).toMatchObject({ state: 'done', changed: 1 });
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

  test('a bulk action changes many jobs, after a preview of their number', async () => {
    const failed = [await api.failedJob(1), await api.failedJob(2)];
    for (let number = 0; number < 3; number++) {
      await api.queue.enqueue(mail, { to: `${number}@example.com` }, { delay: '1h' });
    }
    const filter = { state: 'scheduled', queue: 'mail' };
    const preview = await api.app.write('POST', 'jobs/preview', { action: 'cancel', filter });
    expect(preview.body as BulkPreview).toEqual({ matching: { count: 3, isCapped: false } });
    const priority = await inBulk({ action: 'priority', filter, priority: 7 });
    expect(priority).toMatchObject({ state: 'done', changed: 3, skipped: 0, priority: 7 });
    const jobs = api.app.app.get(DataSource).getRepository(TableQueueJob);
    expect(await jobs.countBy({ state: 'scheduled' })).toBe(3);
    expect((await api.app.read<JobPage>('jobs?state=scheduled')).jobs.map((job) => job.priority)).toEqual([7, 7, 7]);
    const cancelled = await inBulk({ action: 'cancel', filter });
    expect(cancelled).toMatchObject({ jobs: 'all scheduled jobs, queue mail', changed: 3, skipped: 0 });
    expect(await jobs.countBy({ state: 'cancelled' })).toBe(3);
    await api.queue.control.pause('work');
    const again = await inBulk({ action: 'retry', filter: { ids: [...failed, UNKNOWN] } });
    expect(again).toMatchObject({ jobs: '3 selected jobs', changed: 2, skipped: 1 });
    await api.queue.control.resume('work');
    await Promise.all(failed.map((id) => api.until(id, 'failed')));
  });

  test('a bulk operation on many jobs goes on after its request, and can be stopped', async () => {
    const jobs = Array.from({ length: 2_100 }, () => ({ payload: { to: 'ada@example.com' }, delay: '1h' as const }));
    await api.queue.enqueueMany(mail, jobs);
    const filter = { state: 'scheduled', name: 'mail.send' };
    const bulk = { action: 'move', filter, to: 'later' };
    const { id, ...done } = await inBulk(bulk);
    expect(done).toMatchObject({ action: 'move', to: 'later', changed: 2_100, skipped: 0 });
    expect(done.total).toEqual({ count: 2_100, isCapped: false });
    const stopped = await api.app.write('POST', `jobs/bulk/${id}/stop`);
    expect(stopped.body).toMatchObject({ id, state: 'done' });
    expect((await api.app.write('POST', `jobs/bulk/${UNKNOWN}/stop`)).status).toBe(404);
    const { entries } = await api.app.read<AuditPage>('audit?action=move');
    expect(entries).toMatchObject([
      { id, detail: 'all scheduled jobs, named mail.send, to later', outcome: '2100 changed' },
    ]);
    expect((await api.app.read<AuditPage>('audit?action=delete')).entries).toEqual([]);
    expect((await api.app.read<AuditPage>('audit?who=nobody')).entries).toEqual([]);
  });
}

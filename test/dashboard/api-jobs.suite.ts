import { expect, test } from '@jest/globals';
import type { JobDetail, JobLog, JobPage, JobSearchPage } from '@tablequeue/dashboard';
import { DataSource } from 'typeorm';

import { waitFor } from '../support/wait-for.js';
import { type Api, UNKNOWN, fine, inBulk, mail, report, unlucky } from './api-application.js';

/** Tests of lists of jobs and of single jobs. */
export function jobTests(api: Api): void {
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
    const done = await inBulk(api, { action: 'run-now', filter });
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
}

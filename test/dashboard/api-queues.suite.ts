import { expect, test } from '@jest/globals';
import type {
  AuditPage,
  DoctorReport,
  JobDetail,
  KeyedCounts,
  MemberPage,
  Overview,
  QueuePage,
  QueueRow,
  SchedulePage,
  ScheduleRow,
  Series,
  SubscriptionPage,
  WorkerPage,
} from '@tablequeue/dashboard';
import { TableQueueWorker, defineEvent, defineJob, eventHandler, jobHandler } from '@tablequeue/typeorm';

import { waitFor } from '../support/wait-for.js';
import { VERSION } from '../support/version.js';
import { type Api, fine, held, mail, report } from './api-application.js';

/** Tests of queues, schedules, workers and the audit log. */
export function queueTests(api: Api): void {
  test('a queue is paused, limited and resumed, in the database', async () => {
    await api.queue.enqueue(mail, { to: 'ada@example.com' });
    const reason = 'The relay is down.';
    const paused = await api.app.write('POST', 'queues/mail/pause', { reason });
    expect(paused).toMatchObject({ status: 200, body: { queue: 'mail', pausedAt: expect.any(Number) } });
    const limits = {
      concurrency: 3,
      rate: { jobs: 10, per: 60_000, burst: null },
      perTenant: null,
      ratePerTenant: { jobs: 2, per: 1_000, burst: 5 },
      maxLength: 500,
    };
    expect((await api.app.write('PUT', 'queues/mail/limits', limits)).body).toMatchObject({ limits });
    expect(await api.queue.control.list()).toMatchObject([
      {
        queue: 'mail',
        pausedAt: expect.any(Date),
        concurrency: 3,
        rate: { jobs: 10, per: 60_000, burst: 1 },
        ratePerTenant: { jobs: 2, per: 1_000, burst: 5 },
      },
    ]);
    expect((await api.app.write('POST', 'queues/mail/resume')).body).toMatchObject({ pausedAt: null });
    const none = { concurrency: null, rate: null, perTenant: null, ratePerTenant: null, maxLength: null };
    expect((await api.app.write('PUT', 'queues/mail/limits', none)).body).toMatchObject({ limits: none });
    expect((await api.queue.control.list()).filter(({ pausedAt, rate }) => pausedAt ?? rate)).toEqual([]);
  });

  test('the queues are listed, what is wrong, and the totals of all states', async () => {
    const runAt = new Date(Date.now() - 60_000);
    await api.queue.enqueue(mail, { to: 'ada@example.com' }, { runAt });
    await api.queue.enqueue(report, undefined, { runAt });
    await api.queue.control.pause('reports');
    const { status, problems, totals } = await waitFor('the overview was read again', async () => {
      const overview = await api.app.read<Overview>('overview');
      return overview.queueCount === 3 && overview.problems.length === 2 && overview;
    });
    const { queues } = await api.app.read<QueuePage>('queues');
    expect(queues.map(({ queue: name, workers, weights }) => [name, workers, weights])).toEqual([
      ['mail', 0, []],
      ['reports', 0, []],
      ['work', 1, [1]],
    ]);
    expect(status).toBe('critical');
    expect(problems).toMatchObject([
      { severity: 'critical', kind: 'no-worker', count: 1, examples: ['mail'], since: expect.any(Number) },
      { severity: 'notice', kind: 'paused-queues', count: 1, examples: ['reports'] },
    ]);
    expect(queues.map((row) => row.problems)).toEqual([['no-worker'], ['paused-queues'], []]);
    expect((await api.queue.health()).problems.map(({ message }) => message)).toEqual(problems.map(({ text }) => text));
    expect(totals.ready).toMatchObject({ count: 2, isCapped: false, isEstimate: false, countedAt: expect.any(Number) });
    expect(totals.failed).toMatchObject({ count: 0, isCapped: false });
  });

  test('the jobs with a key are counted by state', async () => {
    await api.queue.enqueue(mail, { to: 'ada@example.com' }, { key: 'order:1' });
    const { id } = await api.queue.enqueue(fine, 4, { key: 'order:1', delay: '1h' });
    await api.queue.cancel(id);
    const counts = await api.app.read<KeyedCounts>('jobs/states?key=order:1');
    expect(Object.entries(counts).filter(([, { count }]) => count > 0)).toEqual([
      ['ready', { count: 1, isCapped: false }],
      ['cancelled', { count: 1, isCapped: false }],
    ]);
    const ofMail = await api.app.read<KeyedCounts>('jobs/states?key=order:1&queue=mail');
    expect(ofMail).toMatchObject({ ready: { count: 1 }, cancelled: { count: 0 } });
  });

  test('the members of a group are listed by outcome, page by page', async () => {
    const { id, jobs } = await api.queue.groups.enqueue({
      jobs: Array.from({ length: 5 }, () => ({ definition: fine, payload: 4, delay: '1h' }) as const),
      onComplete: { definition: report },
    });
    const ids = jobs.map((job) => job.id);
    await api.queue.cancel(ids[2] as string);
    const members = (query: string) => api.app.read<MemberPage>(`groups/${id}/members?${query}`);
    const found = ({ members: page }: MemberPage) => page.map((job) => [job.id, job.state]);
    const first = await members('outcome=pending&limit=3');
    const second = await members(`outcome=pending&limit=3&cursor=${first.next}`);
    const pending = ids.filter((_id, index) => index !== 2).map((each) => [each, 'scheduled']);
    expect([...found(first), ...found(second)]).toEqual(pending);
    expect([first.members.length, second.next]).toEqual([3, null]);
    expect(found(await members('outcome=cancelled'))).toEqual([[ids[2], 'cancelled']]);
    expect(await members('outcome=failed')).toEqual({ members: [], next: null });
  });

  test('ended attempts are counted in the overview and in the series', async () => {
    const { id } = await api.queue.enqueue(fine, 4);
    await api.until(id, 'succeeded');
    await api.failedJob();
    // Workers write these counts every 10 s.
    const row = await waitFor('both are counted', async () => {
      const found = await api.app.read<QueueRow>('queues/work');
      return found.failureRate === 0.5 && found;
    });
    expect(row.latency).toBeGreaterThanOrEqual(0);
    expect(row.spark).toHaveLength(60);
    expect(row.spark.reduce((total, jobs) => total + jobs, 0)).toBe(2);
    expect(row.throughput).toBeGreaterThan(0);
    expect(row.throughput).toBeLessThanOrEqual(2 / 60);
    expect((await api.app.read<Overview>('overview')).throughput).toBeGreaterThan(0);
    const hour = await api.app.read<Series>('series?span=hour&queue=work');
    expect(hour.points).toHaveLength(60);
    expect(hour.points.reduce((total, { succeeded }) => total + succeeded, 0)).toBe(1);
    expect(hour.points.reduce((total, { failed }) => total + failed, 0)).toBe(1);
    expect((await api.app.read<Series>('series?span=day')).points).toHaveLength(96);
  });

  test('schedules are run, paused and resumed', async () => {
    await api.queue.recurring.set('nightly', report, undefined, { cron: '0 3 * * *', timeZone: 'Europe/Vienna' });
    await api.queue.recurring.set('often', report, undefined, { every: '90s', overlap: false });
    const [nightly, often] = (await api.app.read<SchedulePage>('schedules')).schedules;
    expect(nightly).toMatchObject({ name: 'nightly', pattern: '0 3 * * *', timeZone: 'Europe/Vienna', lastJob: null });
    expect(nightly?.upcoming).toHaveLength(5);
    expect(nightly?.upcoming[0]).toBe(nightly?.nextAt);
    expect(often).toMatchObject({ pattern: 'every 90s', timeZone: null });
    const run = (await api.app.write('POST', 'schedules/often/run')).body as ScheduleRow;
    expect(run.lastJob).toMatchObject({ name: 'report', state: 'ready' });
    expect(await api.stateOf(run.lastJob?.id as string)).toBe('ready');
    expect(await api.app.write('POST', 'schedules/often/run')).toMatchObject({ status: 409 });
    expect((await api.app.write('POST', 'schedules/nightly/pause')).body).toMatchObject({ nextAt: null, upcoming: [] });
    const paused = async () => (await api.queue.recurring.list()).map(({ pausedAt }) => pausedAt !== undefined);
    expect(await paused()).toEqual([true, false]);
    expect((await api.app.write('POST', 'schedules/nightly/resume')).body).toMatchObject({ pausedAt: null });
    expect(await paused()).toEqual([false, false]);
  });

  test('schedules are listed page by page, by name, and filtered by a part of it', async () => {
    for (const name of ['b.Nightly', 'a.nightly', 'c', 'd.nightly']) {
      await api.queue.recurring.set(name, report, undefined, { every: '1h' });
    }
    const namesOf = ({ schedules }: SchedulePage) => schedules.map(({ name }) => name);
    const first = await api.app.read<SchedulePage>('schedules?limit=2&contains=NIGHT');
    expect(first).toMatchObject({ total: 4, matching: 3, next: 'b.Nightly' });
    const last = await api.app.read<SchedulePage>(`schedules?limit=2&contains=NIGHT&cursor=${first.next}`);
    expect(last).toMatchObject({ total: 4, matching: 3, next: null });
    expect([first, last].map(namesOf)).toEqual([['a.nightly', 'b.Nightly'], ['d.nightly']]);
    expect(first.schedules.map(({ upcoming }) => upcoming.length)).toEqual([5, 5]);
    expect(await api.app.read('schedules?contains=none')).toEqual({ schedules: [], total: 4, matching: 0, next: null });
    expect((await api.app.write('POST', 'schedules/c%20/pause')).status).toBe(404);
  });

  test('a running job shows its worker, and the worker its running jobs', async () => {
    const { id } = await api.queue.enqueue(held, undefined);
    await api.until(id, 'running');
    const job = await api.app.read<JobDetail>(`jobs/${id}`);
    const [worker] = (await api.app.read<WorkerPage>('workers')).workers;
    expect(job.worker).toEqual({ id: worker?.id, host: worker?.host, pid: process.pid });
    expect(job.leaseEndsAt).toBeGreaterThan(job.startedAt as number);
    expect(job.attempts).toMatchObject([{ attempt: 1, outcome: 'running', startedAt: job.startedAt }]);
    expect(worker?.running).toMatchObject([{ id, state: 'running' }]);
    expect((await api.app.write('POST', `jobs/${id}/cancel`)).status).toBe(200);
    await api.until(id, 'cancelled');
  });

  test('workers and the findings of the doctor are listed', async () => {
    const { workers, ...rest } = await api.app.read<WorkerPage>('workers');
    expect(rest).toEqual({ total: 1, next: null });
    expect(workers).toMatchObject([
      { pid: process.pid, version: VERSION, queues: ['work'], queueCount: 1, weights: { work: 1 }, running: [] },
    ]);
    const { findings, server } = await api.app.read<DoctorReport>('doctor');
    expect(server).not.toBe('');
    expect(findings.length).toBeGreaterThan(3);
    expect(findings.some(({ level }) => level === 'good')).toBe(true);
  });

  test('workers are listed page by page, with some of their queues: first those with a weight', async () => {
    const queues = Array.from({ length: 25 }, (_, index) => `many-${index}`);
    const handlers = queues.map((queue) => jobHandler(defineJob(queue, { queue }), () => undefined));
    const many = new TableQueueWorker(api.queue, handlers, { queues: { 'many-24': { weight: 3 } } });
    await many.start();
    const first = await api.app.read<WorkerPage>('workers?limit=1');
    const last = await api.app.read<WorkerPage>(`workers?limit=1&cursor=${first.next}`);
    await many.stop();
    expect(first).toMatchObject({ total: 2, workers: [{ queues: ['work'] }], next: expect.any(String) });
    expect(last).toMatchObject({ total: 2, workers: [{ queueCount: 25 }], next: null });
    const [row] = last.workers;
    expect(row?.queues).toHaveLength(20);
    expect([row?.queues[0], Object.keys(row?.weights ?? {})]).toEqual(['many-24', row?.queues]);
    expect(row?.weights).toMatchObject({ 'many-24': 3 });
    expect((await api.app.get('workers?cursor=1')).status).toBe(400);
  });

  test('a worker is quieted and resumed, and not without a lease', async () => {
    const [worker] = (await api.app.read<WorkerPage>('workers')).workers;
    const quiet = await api.app.write('POST', `workers/${worker?.id}/quiet`);
    expect(quiet).toMatchObject({
      status: 200,
      body: { id: worker?.id, request: { action: 'quiet', by: 'ada', at: expect.any(Number) } },
    });
    const resumed = await api.app.write('POST', `workers/${worker?.id}/resume`);
    expect(resumed).toMatchObject({ status: 200, body: { request: null } });
    const { entries } = await api.app.read<AuditPage>('audit?limit=2');
    expect(entries).toMatchObject([
      { who: 'ada', action: 'resume', target: `worker ${worker?.id}`, outcome: '1 changed' },
      { who: 'ada', action: 'quiet', target: `worker ${worker?.id}`, outcome: '1 changed' },
    ]);
    expect((await api.app.write('POST', 'workers/77/stop')).status).toBe(404);
    expect((await api.app.write('POST', 'workers/me/stop')).status).toBe(400);
  });

  test('subscriptions of events are listed with their unfinished jobs', async () => {
    const paid = defineEvent<number>('order.paid');
    const options = { queue: 'slow' };
    const handlers = ['books', 'mailing'].map((subscription) =>
      eventHandler(paid, { subscription, ...options }, () => undefined),
    );
    await api.queue.control.pause('slow');
    const worker = new TableQueueWorker(api.queue, handlers);
    await worker.start();
    const { id } = await api.queue.publish(paid, 42);
    await api.until(id, 'succeeded');
    await worker.stop();
    const { subscriptions, next } = await api.app.read<SubscriptionPage>('events/subscriptions?limit=1');
    const one = { ...options, priority: 0, unhandledSince: null, unfinished: { count: 1, isCapped: false } };
    const stored = { registeredAt: expect.any(Number), oldestAt: expect.any(Number) };
    expect(subscriptions).toEqual([{ event: 'order.paid', name: 'books', job: 'order.paid@books', ...one, ...stored }]);
    const rest = await api.app.read<SubscriptionPage>(
      `events/subscriptions?limit=1&cursor=${encodeURIComponent(next!)}`,
    );
    expect(rest).toMatchObject({ subscriptions: [{ name: 'mailing', ...one }], next: null });
  });

  test('the audit log records who changed what', async () => {
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' });
    await api.app.write('POST', 'queues/mail/pause');
    await api.app.write('POST', `jobs/${id}/cancel`);
    await api.app.write('POST', `jobs/${id}/cancel`);
    const newest = await api.app.read<AuditPage>('audit?limit=2');
    expect(newest.entries).toMatchObject([
      { who: 'ada', action: 'cancel', target: `job ${id}`, outcome: '1 left unchanged' },
      { who: 'ada', action: 'cancel', target: `job ${id}`, outcome: '1 changed' },
    ]);
    const older = await api.app.read<AuditPage>(`audit?limit=2&cursor=${newest.next}`);
    expect(older.entries).toMatchObject([{ action: 'pause', target: 'queue mail', outcome: '1 changed' }]);
    expect(older.next).toBeNull();
  });
}

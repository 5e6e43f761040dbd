import 'reflect-metadata';

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import type {
  AuditPage,
  BulkPreview,
  BulkResult,
  DoctorReport,
  JobDetail,
  JobPage,
  KeyedCounts,
  Overview,
  ScheduleRow,
  Series,
  WorkerRow,
} from '@tablequeue/dashboard';
import { QueueHandler } from '@tablequeue/nestjs';
import { type JobContext, TableQueue, TableQueueJob, defineJob, fixed } from '@tablequeue/typeorm';
import { TableQueueHistory } from '@tablequeue/typeorm/internal';
import { DataSource } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { DashboardApplication } from '../support/dashboard.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';

const mail = defineJob<{ to: string; card?: string }>('mail.send', { queue: 'mail' });
const broken = defineJob<number>('broken', { queue: 'work', retry: { attempts: 1 } });
const unlucky = defineJob<number>('unlucky', { queue: 'work', retry: { attempts: 2, backoff: fixed('1h') } });
const fine = defineJob<number>('fine', { queue: 'work' });
const held = defineJob('held', { queue: 'work' });
const report = defineJob('report', { queue: 'reports' });

/** Handles the queue `work`. The other queues have no handler. */
@Injectable()
class Handlers {
  @QueueHandler(broken)
  fail(number: number): never {
    throw new Error(`cannot do ${number}`);
  }

  @QueueHandler(unlucky)
  failOnce(number: number): never {
    throw new Error(`could not do ${number}`);
  }

  @QueueHandler(fine)
  succeed(number: number): { doubled: number } {
    return { doubled: number * 2 };
  }

  @QueueHandler(held)
  async hold(_payload: void, { signal }: JobContext): Promise<void> {
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
  }
}

/**
 * Tests the API on one engine. Each engine has its own file, because @nestjs/typeorm keeps the entities of all
 * applications of a process by the names of their data sources.
 */
export function apiSuite(engine: Engine): void {
  let app: DashboardApplication;
  let queue: TableQueue;
  afterAll(() => app.close());
  const database = useDatabase(engine);
  beforeAll(async () => {
    app = await DashboardApplication.start(database, {
      platform: engine === 'mysql' ? 'fastify' : 'express',
      dashboard: {
        public: true,
        role: () => 'operator',
        who: () => 'ada',
        redact: async (payload, { name }) => (name === 'mail.send' ? { ...(payload as object), card: '…' } : payload),
      },
      providers: [Handlers],
    });
    queue = app.queue();
  });
  beforeEach(async () => {
    const { entityMetadatas } = app.app.get(DataSource);
    for (const { tableName } of entityMetadatas.filter((each) => each.tableName !== 'tq_worker')) {
      await app.app.get(DataSource).query(`DELETE FROM ${tableName}`);
    }
  });

  const stateOf = async (id: string) => (await queue.find(id))?.state;
  const until = (id: string, state: string) =>
    waitFor(`the job is ${state}`, async () => (await stateOf(id)) === state);
  const failedJob = async (number = 1): Promise<string> => {
    const { id } = await queue.enqueue(broken, number);
    await until(id, 'failed');
    return id;
  };

  test('a queue is paused, limited and resumed, in the database', async () => {
    await queue.enqueue(mail, { to: 'ada@example.com' });
    const paused = await app.write('POST', 'queues/mail/pause');
    expect(paused).toMatchObject({ status: 200, body: { queue: 'mail', pausedAt: expect.any(Number) } });
    const limits = { concurrency: 3, rate: { jobs: 10, per: 60_000 }, perTenant: null };
    expect((await app.write('PUT', 'queues/mail/limits', limits)).body).toMatchObject({ limits });
    expect(await queue.control.list()).toMatchObject([
      { queue: 'mail', pausedAt: expect.any(Date), concurrency: 3, rate: { jobs: 10, per: 60_000 } },
    ]);
    expect((await app.write('POST', 'queues/mail/resume')).body).toMatchObject({ pausedAt: null });
    const none = { concurrency: null, rate: null, perTenant: null };
    expect((await app.write('PUT', 'queues/mail/limits', none)).body).toMatchObject({ limits: none });
    expect((await queue.control.list()).filter(({ pausedAt, rate }) => pausedAt ?? rate)).toEqual([]);
  });

  test('the overview lists all queues, and what needs attention', async () => {
    await queue.enqueue(mail, { to: 'ada@example.com' });
    await queue.control.pause('idle');
    const { queues, attention, totals } = await waitFor('the overview was read again', async () => {
      const overview = await app.read<Overview>('overview');
      return overview.queues.length === 3 && overview;
    });
    expect(queues.map(({ queue: name, workers, weights }) => [name, workers, weights])).toEqual([
      ['idle', 0, []],
      ['mail', 0, []],
      ['work', 1, [1]],
    ]);
    expect(attention).toMatchObject([
      { severity: 'critical', kind: 'no-workers', queue: 'mail', since: expect.any(Number) },
      { severity: 'notice', kind: 'paused', queue: 'idle' },
    ]);
    expect(totals.ready).toEqual({ count: 1, isCapped: false });
  });

  test('the page of a job shows any progress, redacted; the list shows numbers only', async () => {
    const { id } = await queue.enqueue(mail, { to: 'ada@example.com' });
    const setProgress = (progress: unknown) =>
      app.app.get(DataSource).query('UPDATE tq_job SET progress = ?', [JSON.stringify(progress)]);
    const shown = async () => {
      const { progress } = await app.read<JobDetail>(`jobs/${id}`);
      const [row] = (await app.read<JobPage>('jobs?state=ready')).jobs;
      return [progress, row!.progress];
    };
    await setProgress({ page: 3, pages: 12, card: '4111' });
    expect(await shown()).toEqual([{ page: 3, pages: 12, card: '…' }, null]);
    await setProgress(0.5);
    await waitFor('both were read again', async () => (await shown()).every((progress) => progress === 0.5));
  });

  test('interrupted attempts are listed too', async () => {
    const attemptsAfter = async (attempt: number, crashes: number) => {
      const { id } = await queue.enqueue(mail, { to: 'ada@example.com' });
      await app.app.get(DataSource).query('UPDATE tq_job SET attempt = ?, crashes = ?', [attempt, crashes]);
      const { attempts } = await app.read<JobDetail>(`jobs/${id}`);
      return attempts.map((each) => `${each.attempt} ${each.outcome}`);
    };
    expect(await attemptsAfter(2, 2)).toEqual(['1 crashed', '2 crashed']);
    // One of the two was returned, and the data does not show which.
    expect(await attemptsAfter(2, 1)).toEqual(['1 interrupted', '2 interrupted']);
    expect(await attemptsAfter(30, 0)).toHaveLength(20);
  });

  test('the jobs with a key are counted by state', async () => {
    await queue.enqueue(mail, { to: 'ada@example.com' }, { key: 'order:1' });
    const { id } = await queue.enqueue(fine, 4, { key: 'order:1', delay: '1h' });
    await queue.cancel(id);
    const counts = await app.read<KeyedCounts>('jobs/states?key=order:1');
    expect(Object.entries(counts).filter(([, { count }]) => count > 0)).toEqual([
      ['ready', { count: 1, isCapped: false }],
      ['cancelled', { count: 1, isCapped: false }],
    ]);
    const ofMail = await app.read<KeyedCounts>('jobs/states?key=order:1&queue=mail');
    expect(ofMail).toMatchObject({ ready: { count: 1 }, cancelled: { count: 0 } });
  });

  test('ended attempts are counted in the overview and in the series', async () => {
    const { id } = await queue.enqueue(fine, 4);
    await until(id, 'succeeded');
    await failedJob();
    // Workers write these counts every 10 s.
    const row = await waitFor('both are counted', async () => {
      const { queues } = await app.read<Overview>('overview');
      return queues.find(({ queue: name, failureRate }) => name === 'work' && failureRate === 0.5);
    });
    expect(row.spark).toHaveLength(60);
    expect(row.spark.reduce((total, jobs) => total + jobs, 0)).toBe(2);
    expect(row.throughput).toBeGreaterThan(0);
    const hour = await app.read<Series>('series?span=hour&queue=work');
    expect(hour.points).toHaveLength(60);
    expect(hour.points.reduce((total, { succeeded }) => total + succeeded, 0)).toBe(1);
    expect(hour.points.reduce((total, { failed }) => total + failed, 0)).toBe(1);
    expect((await app.read<Series>('series?span=day')).points).toHaveLength(96);
  });

  test('jobs are found by filters, page by page', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) {
      ids.push(
        (await queue.enqueue(mail, { to: `${number}@example.com` }, { key: `order:${number % 2}`, delay: '1h' })).id,
      );
    }
    const first = await app.read<JobPage>('jobs?state=scheduled&queue=mail&limit=3');
    expect(first.jobs).toHaveLength(3);
    const second = await app.read<JobPage>(`jobs?state=scheduled&queue=mail&limit=3&cursor=${first.next}`);
    expect([...first.jobs, ...second.jobs].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(second.next).toBeNull();
    const keyed = await app.read<JobPage>('jobs?state=scheduled&key=order:1');
    expect(keyed.jobs.map(({ id }) => id).toSorted()).toEqual([ids[1] as string, ids[3] as string].toSorted());
    const failed = await failedJob(7);
    const found = await app.read<JobPage>(`jobs?state=failed&error=${encodeURIComponent('cannot do 7')}&name=broken`);
    expect(found.jobs).toMatchObject([{ id: failed, error: 'Error: cannot do 7', failures: 1 }]);
    expect((await app.read<JobPage>('jobs?state=failed&error=nothing-like-it')).jobs).toEqual([]);
  });

  test('a job that waits for its retry is found by its error, and can run now', async () => {
    const jobs = await Promise.all([7, 8].map((number) => queue.enqueue(unlucky, number)));
    await Promise.all(jobs.map(({ id }) => until(id, 'scheduled')));
    const [wanted] = jobs;
    const filter = { state: 'scheduled', error: 'could not do 7' };
    const found = await app.read<JobPage>(`jobs?state=scheduled&error=${encodeURIComponent(filter.error)}`);
    expect(found.jobs).toMatchObject([{ id: wanted!.id, error: 'Error: could not do 7', failures: 1 }]);
    const preview = await app.write('POST', 'jobs/preview', { action: 'run-now', filter });
    expect(preview.body).toEqual({ matching: { count: 1, isCapped: false } });
    const done = await app.write('POST', 'jobs/bulk', { action: 'run-now', filter });
    expect(done.body).toEqual({ changed: 1, skipped: 0, next: null });
    await until(wanted!.id, 'failed');
  });

  test('a job is shown with its attempts, and redacted', async () => {
    const { id } = await queue.enqueue(mail, { to: 'ada@example.com', card: '4242' }, { delay: '1h', tenant: 'shop' });
    const job = await app.read<JobDetail>(`jobs/${id}`);
    expect(job).toMatchObject({
      payload: { to: 'ada@example.com', card: '…' },
      isRedacted: true,
      tenant: 'shop',
      actions: ['run-now', 'cancel', 'priority'],
    });
    const failed = await app.read<JobDetail>(`jobs/${await failedJob(3)}`);
    expect(failed).toMatchObject({ payload: 3, isRedacted: false, actions: ['retry'] });
    expect(failed.attempts).toMatchObject([
      { attempt: 1, outcome: 'failed', error: 'Error: cannot do 3', stack: expect.stringContaining('Handlers.fail') },
    ]);
    expect(failed.startedAt).not.toBeNull();
    expect(failed.attempts).toMatchObject([{ startedAt: failed.startedAt, endedAt: expect.any(Number) }]);
    const { id: retried } = await queue.enqueue(unlucky, 3);
    await until(retried, 'scheduled');
    await app.write('POST', `jobs/${retried}/run-now`);
    await until(retried, 'failed');
    const { attempts } = await app.read<JobDetail>(`jobs/${retried}`);
    const times = attempts.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]);
    expect(times).toHaveLength(4);
    expect(times).toEqual(times.toSorted((one, other) => Number(one) - Number(other)));
    const done = await queue.enqueue(fine, 21);
    await until(done.id, 'succeeded');
    expect(await app.read<JobDetail>(`jobs/${done.id}`)).toMatchObject({ result: { doubled: 42 }, actions: [] });
  });

  test('the response contains the allowed actions of a state, and the group of a job', async () => {
    const { jobs, onComplete, onFailure } = await queue.groups.enqueue({
      jobs: [{ definition: mail, payload: { to: 'ada@example.com' } }],
      onFailure: { definition: report },
      onComplete: { definition: report },
    });
    expect((await app.read<JobPage>('jobs?state=waiting')).actions).toEqual(['cancel', 'priority']);
    expect((await app.read<JobPage>('jobs?state=succeeded')).actions).toEqual([]);
    const [member] = jobs;
    expect(await app.read<JobDetail>(`jobs/${onComplete}`)).toMatchObject({
      actions: ['cancel', 'priority'],
      waitsFor: { jobs: 1, pending: 1, members: [{ id: member?.id, name: 'mail.send', state: 'ready' }] },
      followedBy: [],
    });
    const links = [onFailure, onComplete].map((id) => ({ id, name: 'report', state: 'waiting' }));
    expect(await app.read<JobDetail>(`jobs/${member?.id}`)).toMatchObject({ waitsFor: null, followedBy: links });
  });

  test('a job can run now, be retried and cancelled, and get another priority', async () => {
    const { id } = await queue.enqueue(mail, { to: 'ada@example.com' }, { delay: '1h' });
    expect((await app.write('PUT', `jobs/${id}/priority`, { priority: -5 })).body).toMatchObject({ priority: -5 });
    expect((await app.write('POST', `jobs/${id}/run-now`)).body).toMatchObject({ state: 'ready', priority: -5 });
    expect(await stateOf(id)).toBe('ready');
    expect((await app.write('POST', `jobs/${id}/cancel`)).body).toMatchObject({ state: 'cancelled' });
    expect(await stateOf(id)).toBe('cancelled');
    expect((await app.write('POST', `jobs/${id}/retry`)).body).toMatchObject({ state: 'ready' });
    expect(await stateOf(id)).toBe('ready');
  });

  test('an action that the state does not allow is a conflict, and an unknown name is not found', async () => {
    const { id } = await queue.enqueue(mail, { to: 'ada@example.com' });
    for (const action of ['retry', 'run-now']) {
      expect(await app.write('POST', `jobs/${id}/${action}`)).toMatchObject({
        status: 409,
        body: { type: 'tablequeue:conflict', detail: expect.stringContaining('The job is ready') },
      });
      expect((await app.write('POST', `jobs/${UNKNOWN}/${action}`)).status).toBe(404);
    }
    expect(await stateOf(id)).toBe('ready');
    expect((await app.get(`jobs/${UNKNOWN}`)).status).toBe(404);
    expect((await app.write('POST', 'queues/no-such-queue/pause')).status).toBe(404);
    expect(await queue.control.list()).toEqual([]);
    expect((await app.write('POST', 'schedules/none/run')).status).toBe(404);
  });

  test('a bulk action changes many jobs, after a preview of their number', async () => {
    const failed = [await failedJob(1), await failedJob(2)];
    for (let number = 0; number < 3; number++) {
      await queue.enqueue(mail, { to: `${number}@example.com` }, { delay: '1h' });
    }
    const filter = { state: 'scheduled', queue: 'mail' };
    const preview = await app.write('POST', 'jobs/preview', { action: 'cancel', filter });
    expect(preview.body as BulkPreview).toEqual({ matching: { count: 3, isCapped: false } });
    const priority = await app.write('POST', 'jobs/bulk', { action: 'priority', filter, priority: 7 });
    expect(priority.body).toEqual({ changed: 3, skipped: 0, next: null });
    const rows = await app.app.get(DataSource).getRepository(TableQueueJob).find();
    expect(rows.map((row) => row.state)).toEqual(['scheduled', 'scheduled', 'scheduled']);
    expect((await app.read<JobPage>('jobs?state=scheduled')).jobs.map((job) => job.priority)).toEqual([7, 7, 7]);
    const cancelled = await app.write('POST', 'jobs/bulk', { action: 'cancel', filter });
    expect(cancelled.body as BulkResult).toEqual({ changed: 3, skipped: 0, next: null });
    const history = await app.app.get(DataSource).getRepository(TableQueueHistory).find();
    expect(history.filter(({ state }) => state === 'cancelled')).toHaveLength(3);
    await queue.control.pause('work');
    const again = await app.write('POST', 'jobs/bulk', { action: 'retry', filter: { ids: [...failed, UNKNOWN] } });
    expect(again.body as BulkResult).toEqual({ changed: 2, skipped: 1, next: null });
    await queue.control.resume('work');
    await Promise.all(failed.map((id) => until(id, 'failed')));
  });

  test('a bulk action on more jobs than one request changes continues with a cursor', async () => {
    const jobs = Array.from({ length: 2_100 }, () => ({ payload: { to: 'ada@example.com' }, delay: '1h' as const }));
    await queue.enqueueMany(mail, jobs);
    const filter = { state: 'scheduled', name: 'mail.send' };
    const bulk = { action: 'run-now', filter };
    const first = (await app.write('POST', 'jobs/bulk', bulk)).body as BulkResult;
    expect(first).toEqual({ changed: 2_000, skipped: 0, next: expect.any(String) });
    const left = (await app.write('POST', 'jobs/preview', bulk)).body as BulkPreview;
    expect(left.matching).toEqual({ count: 100, isCapped: false });
    expect((await app.write('POST', 'jobs/bulk', { ...bulk, cursor: first.next })).body).toEqual({
      changed: 100,
      skipped: 0,
      next: null,
    });
    const { entries } = await app.read<AuditPage>('audit');
    expect(entries.map(({ outcome }) => outcome)).toEqual(['100 changed', '2000 changed']);
  });

  test('schedules are run, paused and resumed', async () => {
    await queue.recurring.set('nightly', report, undefined, { cron: '0 3 * * *', timeZone: 'Europe/Vienna' });
    await queue.recurring.set('often', report, undefined, { every: '90s', overlap: false });
    const [nightly, often] = await app.read<ScheduleRow[]>('schedules');
    expect(nightly).toMatchObject({ name: 'nightly', pattern: '0 3 * * *', timeZone: 'Europe/Vienna', lastJob: null });
    expect(nightly?.upcoming).toHaveLength(5);
    expect(nightly?.upcoming[0]).toBe(nightly?.nextAt);
    expect(often).toMatchObject({ pattern: 'every 90s', timeZone: null });
    const run = (await app.write('POST', 'schedules/often/run')).body as ScheduleRow;
    expect(run.lastJob).toMatchObject({ name: 'report', state: 'ready' });
    expect(await stateOf(run.lastJob?.id as string)).toBe('ready');
    expect(await app.write('POST', 'schedules/often/run')).toMatchObject({ status: 409 });
    expect((await app.write('POST', 'schedules/nightly/pause')).body).toMatchObject({ nextAt: null, upcoming: [] });
    const paused = async () => (await queue.recurring.list()).map(({ pausedAt }) => pausedAt !== undefined);
    expect(await paused()).toEqual([true, false]);
    expect((await app.write('POST', 'schedules/nightly/resume')).body).toMatchObject({ pausedAt: null });
    expect(await paused()).toEqual([false, false]);
  });

  test('a running job shows its worker, and the worker its running jobs', async () => {
    const { id } = await queue.enqueue(held, undefined);
    await until(id, 'running');
    const job = await app.read<JobDetail>(`jobs/${id}`);
    const [worker] = await app.read<WorkerRow[]>('workers');
    expect(job.worker).toEqual({ id: worker?.id, host: worker?.host });
    expect(job.leaseEndsAt).toBeGreaterThan(job.startedAt as number);
    expect(job.attempts).toMatchObject([{ attempt: 1, outcome: 'running', startedAt: job.startedAt }]);
    expect(worker?.running).toMatchObject([{ id, state: 'running' }]);
    expect((await app.write('POST', `jobs/${id}/cancel`)).status).toBe(200);
    await until(id, 'cancelled');
  });

  test('workers and the findings of the doctor are listed', async () => {
    const workers = await app.read<WorkerRow[]>('workers');
    expect(workers).toMatchObject([
      { pid: process.pid, version: '0.1.0', queues: ['work'], weights: { work: 1 }, running: [] },
    ]);
    const { findings, server } = await app.read<DoctorReport>('doctor');
    expect(server).not.toBe('');
    expect(findings.length).toBeGreaterThan(3);
    expect(findings.some(({ level }) => level === 'good')).toBe(true);
  });

  test('the audit log records who changed what', async () => {
    const { id } = await queue.enqueue(mail, { to: 'ada@example.com' });
    await app.write('POST', 'queues/mail/pause');
    await app.write('POST', `jobs/${id}/cancel`);
    await app.write('POST', `jobs/${id}/cancel`);
    const newest = await app.read<AuditPage>('audit?limit=2');
    expect(newest.entries).toMatchObject([
      { who: 'ada', action: 'cancel', target: `job ${id}`, outcome: '1 left unchanged' },
      { who: 'ada', action: 'cancel', target: `job ${id}`, outcome: '1 changed' },
    ]);
    const older = await app.read<AuditPage>(`audit?limit=2&cursor=${newest.next}`);
    expect(older.entries).toMatchObject([{ action: 'pause', target: 'queue mail', outcome: '1 changed' }]);
    expect(older.next).toBeNull();
  });
}

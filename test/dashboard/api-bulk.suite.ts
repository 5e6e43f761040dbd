import { expect, test } from '@jest/globals';
import type { AuditPage, BulkOperation, BulkPreview, JobPage } from '@tablequeue/dashboard';
import { TableQueueJob } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { waitFor } from '../support/wait-for.js';
import { type Api, UNKNOWN, inBulk, mail } from './api-application.js';

/** Tests of bulk operations. */
export function bulkTests(api: Api): void {
  test('a bulk action changes many jobs, after a preview of their number', async () => {
    const failed = [await api.failedJob(1), await api.failedJob(2)];
    for (let number = 0; number < 3; number++) {
      await api.queue.enqueue(mail, { to: `${number}@example.com` }, { delay: '1h' });
    }
    const filter = { state: 'scheduled', queue: 'mail' };
    const preview = await api.app.write('POST', 'jobs/preview', { action: 'cancel', filter });
    expect(preview.body as BulkPreview).toEqual({ matching: { count: 3, isCapped: false } });
    const priority = await inBulk(api, { action: 'priority', filter, priority: 7 });
    expect(priority).toMatchObject({ state: 'done', changed: 3, skipped: 0, priority: 7 });
    const jobs = api.app.app.get(DataSource).getRepository(TableQueueJob);
    expect(await jobs.countBy({ state: 'scheduled' })).toBe(3);
    expect((await api.app.read<JobPage>('jobs?state=scheduled')).jobs.map((job) => job.priority)).toEqual([7, 7, 7]);
    const cancelled = await inBulk(api, { action: 'cancel', filter });
    expect(cancelled).toMatchObject({ jobs: 'all scheduled jobs, queue mail', changed: 3, skipped: 0 });
    expect(await jobs.countBy({ state: 'cancelled' })).toBe(3);
    await api.queue.control.pause('work');
    const again = await inBulk(api, { action: 'retry', filter: { ids: [...failed, UNKNOWN] } });
    expect(again).toMatchObject({ jobs: '3 selected jobs', changed: 2, skipped: 1 });
    await api.queue.control.resume('work');
    await Promise.all(failed.map((id) => api.until(id, 'failed')));
  });

  test('a bulk operation on many jobs goes on after its request, and can be stopped', async () => {
    const jobs = Array.from({ length: 2_100 }, () => ({ payload: { to: 'ada@example.com' }, delay: '1h' as const }));
    await api.queue.enqueueMany(mail, jobs);
    const filter = { state: 'scheduled', name: 'mail.send' };
    await api.queue.control.limit('later', { concurrency: 1 });
    const bulk = { action: 'move', filter, to: 'later' };
    const { id, ...done } = await inBulk(api, bulk);
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
    // It had ended, so nothing was stopped.
    expect((await api.app.read<AuditPage>('audit?action=stop')).entries).toEqual([]);
  });

  test('the audit log has who stopped a bulk operation', async () => {
    const id = await waitFor('one is stopped before a worker ends it', async () => {
      const started = await api.queue.bulk.start({ action: 'run-now', filter: { state: 'scheduled', key: 'none' } });
      const { body } = await api.app.write('POST', `jobs/bulk/${started.id}/stop`);
      return (body as BulkOperation).state === 'stopped' && started.id;
    });
    const { entries } = await api.app.read<AuditPage>('audit?action=stop');
    expect(entries).toMatchObject([{ who: 'ada', target: `bulk ${id}`, outcome: '1 changed' }]);
  });

  test('jobs are not moved to a queue that does not exist', async () => {
    const { id } = await api.queue.enqueue(mail, { to: 'ada@example.com' }, { delay: '1h' });
    const move = (to: string) => api.app.write('POST', 'jobs/bulk', { action: 'move', filter: { ids: [id] }, to });
    expect(await move('misspelled')).toMatchObject({
      status: 404,
      body: { type: 'tablequeue:not-found', detail: 'There is no queue "misspelled".', parameter: 'to' },
    });
    expect((await api.queue.bulk.list()).operations).toEqual([]);
    expect((await move('work')).status).toBe(200);
  });
}

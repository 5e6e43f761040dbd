import { expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';
import { TableQueueAudit } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { costlySteps } from '../support/plans.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob('mail', { queue: 'mail' });

describeEach('the audit', (engine) => {
  const bench = useWorkbench(engine);

  const by = { by: 'Anna' };
  const entries = async () => (await bench.queue.activity.audit()).entries;

  test('shows who did what to which jobs, and the result', async () => {
    const delayed = { delay: '1h' } as const;
    const { id } = await bench.queue.enqueue(mail, undefined, delayed);
    await bench.queue.jobs.runNow(id);
    expect(await entries()).toEqual([]);
    await bench.queue.jobs.runNow(id, by);
    await bench.queue.jobs.changePriority(id, 5, { by: null });
    await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 900 }, () => delayed),
    );
    await bench.queue.jobs.cancel({ state: 'scheduled', queue: 'mail' }, by);
    await bench.queue.jobs.retry({ state: 'failed' }, by);
    expect((await entries()).toReversed()).toEqual([
      entry('run-now', `job ${id}`, { changed: 0, skipped: 1 }),
      entry('priority', `job ${id}`, { who: undefined, detail: { priority: 5 } }),
      entry('cancel', 'jobs', { changed: 900, detail: { filter: { state: 'scheduled', queue: 'mail' } } }),
      entry('retry', 'jobs', { changed: 0, detail: { filter: { state: 'failed' } } }),
    ]);
  });

  test('shows queues and schedules too', async () => {
    await bench.queue.control.pause('mail', by);
    await bench.queue.control.limit('mail', { concurrency: 3 }, by);
    await bench.queue.control.resume('mail', by);
    await bench.queue.recurring.set('nightly', mail, undefined, { every: '1d' });
    await bench.queue.recurring.pause('nightly', by);
    await bench.queue.recurring.resume('nightly', by);
    await bench.queue.recurring.fireNow('nightly', by);
    await bench.queue.recurring.fireNow('no-such', by);
    await bench.queue.control.pause('mail');
    expect((await entries()).toReversed()).toEqual([
      entry('pause', 'queue mail'),
      entry('limit', 'queue mail', { detail: { concurrency: 3 } }),
      entry('resume', 'queue mail'),
      entry('pause', 'schedule nightly'),
      entry('resume', 'schedule nightly'),
      entry('fire', 'schedule nightly'),
      entry('fire', 'schedule no-such', { changed: 0, skipped: 1 }),
    ]);
  });

  test('an action that cannot be recorded is not carried out', async () => {
    const { id } = await bench.queue.enqueue(mail, undefined, { delay: '1h' });
    await bench.dataSource.query('ALTER TABLE tq_audit RENAME TO away');
    try {
      await expect(bench.queue.jobs.runNow(id, by)).rejects.toThrow(/tq_audit/);
      await expect(bench.queue.control.pause('mail', by)).rejects.toThrow(/tq_audit/);
    } finally {
      await bench.dataSource.query('ALTER TABLE away RENAME TO tq_audit');
    }
    expect((await bench.queue.find(id))?.state).toBe('scheduled');
    expect((await bench.queue.control.list()).map(({ pausedAt }) => pausedAt)).not.toContainEqual(expect.any(Date));
  });

  test('comes page by page, the newest first, along its index', async () => {
    const targets = Array.from({ length: 25 }, (_, index) => `q${index}`);
    for (const target of targets) {
      await bench.queue.control.pause(target, by);
    }
    const seen: string[] = [];
    const statements = await statementsOf(bench.queue, async () => {
      for (let next: string | undefined = ''; next !== undefined;) {
        const page = await bench.queue.activity.audit({ limit: 10, ...(next && { after: next }) });
        seen.push(...page.entries.map(({ target }) => target));
        next = page.next;
      }
    });
    expect(seen).toEqual(targets.toReversed().map((target) => `queue ${target}`));
    expect(await bench.rows(TableQueueAudit)).toHaveLength(25);
    for (const statement of statements) {
      expect(await costlySteps(bench.dataSource, statement)).toEqual([]);
    }
  });

  function entry(action: string, target: string, rest: object = {}) {
    return {
      id: expect.any(String),
      doneAt: expect.any(Date),
      who: 'Anna',
      action,
      target,
      detail: undefined,
      changed: 1,
      skipped: 0,
      ...rest,
    };
  }
});

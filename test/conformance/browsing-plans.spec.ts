import { beforeAll, expect, test } from '@jest/globals';
import { type JobListOptions, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueAudit, TableQueueThroughput, findLinks, readStats, uuidToBytes } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { costlySteps } from '../support/plans.js';
import { type SentStatement, ownStatementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import type { Workbench } from '../support/workbench.js';

const mail = defineJob('mail', { queue: 'mail' });
const call = defineJob('call', { queue: 'partner' });

const DAY = 24 * 3_600_000;
/** They have a row for each worker, queue, schedule and muted error, and for each running job that is asked to end. */
const SMALL = ['tq_worker', 'tq_queue', 'tq_schedule', 'tq_muted_error', 'tq_cancellation'];

describeEach('how browsing reads', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'none' });
  let callback: string;
  let member: string;
  let failed: string[];
  beforeAll(async () => {
    failed = await finishedJobs(bench, mail, 1_500, 'failed');
    await finishedJobs(bench, call, 1_500, 'succeeded');
    for (const delay of [0, '1h'] as const) {
      const jobs = (tenant?: string) =>
        Array.from({ length: 700 }, () => ({ delay, key: 'k', ...(tenant && { tenant }) }));
      await bench.queue.enqueueMany(mail, jobs());
      await bench.queue.enqueueMany(call, jobs('acme'));
    }
    for (let number = 0; number < 200; number++) {
      const group = await bench.queue.groups.enqueue({
        jobs: [mail, mail, mail].map((definition) => ({ definition, delay: '1h' })),
        onComplete: { definition: mail, key: 'k' },
      });
      [callback, member] = [group.onComplete as string, (group.jobs[0] as { id: string }).id];
    }
    for (const definition of [mail, call]) {
      const unique = (_: unknown, index: number) => ({ unique: { key: `u${index}` } });
      await bench.queue.enqueueMany(definition, Array.from({ length: 700 }, unique));
    }
    await bench.queue.recurring.set('nightly', mail, undefined, { cron: '0 3 * * *' });
    await bench.queue.recurring.fireNow('nightly');
    await storeRecords(bench);
    await bench.work([jobHandler(call, () => new Promise(() => undefined))], { shutdownTimeout: 0 });
    const tables = bench.dataSource.entityMetadatas.map(({ tableName }) => tableName);
    await bench.dataSource.query(engine === 'sqlite' ? 'ANALYZE' : `ANALYZE TABLE ${tables.join(', ')}`);
  });

  const last = new Date(Date.now() + 30 * DAY);
  const filters: Omit<JobListOptions, 'state'>[] = [
    {},
    { queue: 'mail' },
    { queue: 'mail', name: 'mail' },
    { tenant: 'acme' },
    { queue: 'partner', tenant: 'acme' },
    { key: 'k' },
    { errorIncludes: 'failed' },
    { errorFingerprint: '0123456789abcdef' },
    { from: new Date(1), before: last },
    { queue: 'mail', from: new Date(1), before: last, errorIncludes: 'x' },
  ];

  const expectCheap = async (filter: unknown, statements: readonly SentStatement[], mayGroup = false) => {
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      const steps = await costlySteps(bench.dataSource, statement, { small: SMALL, mayGroup });
      expect({ filter, sql: steps.length > 0 && statement.sql, steps }).toEqual({ filter, sql: false, steps: [] });
    }
  };

  test.each(['waiting', 'scheduled', 'ready', 'running', 'failed', 'succeeded', 'cancelled'] as const)(
    '%s jobs are never sorted, and no table is read whole',
    async (state) => {
      for (const filter of filters) {
        const statements = await ownStatementsOf(bench.queue, async () => {
          const { next } = await bench.queue.jobs.list({ state, ...filter, limit: 50 });
          await (next && bench.queue.jobs.list({ state, ...filter, limit: 50, after: next }));
        });
        await expectCheap(filter, statements);
      }
    },
  );

  test('counting the jobs of a key does not sort them either', async () => {
    for (const filter of [{}, { queue: 'mail' }, { name: 'call', tenant: 'acme' }]) {
      await expectCheap(filter, await ownStatementsOf(bench.queue, () => bench.queue.jobs.countByKey('k', filter)));
    }
  });

  test('a search reads by primary keys, and jumps from name to name', async () => {
    for (const text of ['k', 'u7', 'failed', failed[700] as string]) {
      const search = () => bench.queue.jobs.search(text, { payload: true, limit: 1_000 });
      const statements = await ownStatementsOf(bench.queue, search);
      expect(statements.length).toBeGreaterThan(4);
      // There is a row for each name.
      const isOfNames = ({ sql }: SentStatement) => sql.includes('GROUP BY name');
      await expectCheap(
        text,
        statements.filter((statement) => !isOfNames(statement)),
      );
      await expectCheap(text, [...statements.filter(isOfNames), statements[0] as SentStatement], true);
    }
  });

  test.each([
    ['the overview', () => readStats(bench.queue.engine, { failedWithin: DAY, limit: 10_000 })],
    ['what is set for queues', () => bench.queue.control.list()],
    ['an hour', () => bench.queue.activity.throughput('hour')],
    ['a day of a queue', () => bench.queue.activity.throughput('day', 'mail')],
    ['the workers', () => bench.queue.activity.workers()],
    ['the schedules', () => bench.queue.recurring.list()],
    ['failed jobs by error', () => bench.queue.failed.errors()],
    ['the audit', () => bench.queue.activity.audit({ limit: 50 })],
  ] as const)('%s: no table that grows is read whole', async (what, read) => {
    // Lanes, the failures that are counted and the rows of a span are few, and grouped.
    await expectCheap(what, await ownStatementsOf(bench.queue, read), true);
  });

  test('a job with its errors and its groups, and the last jobs of schedules', async () => {
    for (const id of [callback, member, failed[700] as string]) {
      await expectCheap(id, await ownStatementsOf(bench.queue, () => bench.queue.jobs.find(id)));
    }
    expect((await bench.queue.jobs.find(callback))?.waitsFor?.members).toHaveLength(3);
    expect((await bench.queue.jobs.find(member))?.callbacks).toHaveLength(1);
    expect((await bench.queue.jobs.find(failed[700] as string))?.errors).toHaveLength(1);
    const ids = failed.slice(0, 20).map(uuidToBytes);
    await expectCheap(
      'links',
      await ownStatementsOf(bench.queue, () =>
        bench.queue.engine.execute((dialect) => findLinks(dialect, ids), { purpose: 'look for jobs', readOnly: true }),
      ),
    );
  });
});

/** Two days of figures, errors, and audit entries. */
async function storeRecords({ dataSource }: Workbench): Promise<void> {
  await dataSource.query(
    "INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) SELECT id, 3, 0, finished_at, 'Error: failed' FROM tq_job WHERE state = 'failed'",
  );
  const now = Date.now();
  const minutes = Array.from({ length: 2_880 }, (_, index) => now - (now % 60_000) - index * 60_000);
  await dataSource.getRepository(TableQueueThroughput).insert(
    minutes.map((minute) => ({
      minute,
      queue: 'mail',
      succeeded: 1,
      failed: 0,
      retried: 0,
      expired: 0,
      latencySum: 1,
      latencyMax: 1,
      runSum: 1,
      runMax: 1,
    })),
  );
  await dataSource.getRepository(TableQueueAudit).insert(
    minutes.map((doneAt, index) => ({
      id: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      doneAt,
      who: 'ada',
      action: 'pause',
      target: 'queue mail',
      detail: null,
      changed: 1,
      skipped: 0,
    })),
  );
}

import { afterEach, expect, jest, test } from '@jest/globals';
import { TableQueue, TableQueueWorker, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';
import type { Instrumentation } from '@tablequeue/typeorm/instrumentation';
import { openTelemetry } from '@tablequeue/typeorm/opentelemetry';
import { PrometheusMetrics } from '@tablequeue/typeorm/prometheus';
import { Registry } from 'prom-client';

import { describeEach } from '../support/each-engine.js';
import { type Point, Telemetry } from '../support/telemetry.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<string>('mail', { queue: 'post' });
const report = defineJob('report', { queue: 'reports' });

const numbers = (points: readonly Point[], attribute: string) =>
  Object.fromEntries(points.map(({ attributes, value }) => [String(attributes[attribute]), value]));

describeEach('metrics', (engine) => {
  let worker: TableQueueWorker | undefined;
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });
  const bench = useWorkbench(engine);

  /** Runs a job that succeeds and one that fails, and leaves one due for 90 s and one scheduled. */
  async function workWith(instrumentation: Instrumentation): Promise<TableQueue> {
    const queue = new TableQueue(bench.dataSource, { clock: bench.clock, logger: bench.logger, instrumentation });
    await queue.enqueue(report);
    await queue.enqueue(report, undefined, { delay: '1h' });
    bench.clock.advance('90s');
    worker = new TableQueueWorker(
      queue,
      [
        jobHandler(mail, (text) => {
          if (text === 'bad') {
            throw new UnrecoverableJobError('bad');
          }
        }),
      ],
      { logger: bench.logger, maintenance: false, pollInterval: '20ms' },
    );
    await worker.start();
    const jobs = await queue.enqueueMany(mail, [{ payload: 'good' }, { payload: 'bad' }]);
    await bench.untilJobIs(jobs[0]!.id, 'succeeded');
    await bench.untilJobIs(jobs[1]!.id, 'failed');
    return queue;
  }

  test('by OpenTelemetry: the work of this process, and the figures of the tables', async () => {
    const telemetry = new Telemetry().register();
    const { tracerProvider, meterProvider } = telemetry;
    await workWith(openTelemetry({ tracerProvider, meterProvider }));
    const attempts = await waitFor('both are counted', async () => {
      const points = await telemetry.points('tablequeue.attempts');
      return points.length === 2 && points;
    });
    expect(numbers(attempts, 'messaging.tablequeue.outcome')).toEqual({ succeeded: 1, failed: 1 });
    const sent = await telemetry.points('messaging.client.sent.messages');
    expect(numbers(sent, 'messaging.destination.name')).toEqual({ post: 2, reports: 2 });
    expect(await telemetry.points('messaging.client.consumed.messages')).toMatchObject([
      { attributes: { 'messaging.operation.name': 'process', 'messaging.destination.name': 'post' }, value: 2 },
    ]);
    const durations = await telemetry.points('messaging.process.duration');
    expect(numbers(durations, 'error.type')).toMatchObject({
      undefined: { count: 1 },
      UnrecoverableJobError: { count: 1 },
    });

    const counts = await telemetry.points('tablequeue.job.count');
    const reports = counts.filter(({ attributes }) => attributes['messaging.destination.name'] === 'reports');
    expect(numbers(reports, 'messaging.tablequeue.job.state')).toEqual({
      waiting: 0,
      scheduled: 1,
      ready: 1,
      running: 0,
    });
    expect(reports[0]?.attributes['db.namespace']).toBe(String(bench.dataSource.driver.database));
    const [age] = await telemetry.points('tablequeue.job.oldest_ready.age');
    expect(age?.value).toBeGreaterThanOrEqual(90);
    expect(age?.value).toBeLessThan(120);
    expect(await telemetry.points('tablequeue.job.failed.count')).toMatchObject([{ value: 1 }]);
    expect(await telemetry.points('tablequeue.worker.count')).toMatchObject([{ value: 1 }]);
    const problems = await telemetry.points('tablequeue.problem.count');
    expect(numbers(problems, 'messaging.tablequeue.problem.kind')).toEqual({ 'no-worker': 1, 'failed-jobs': 1 });
    expect(problems[0]?.attributes['messaging.tablequeue.problem.severity']).toBe('critical');
    await telemetry.close();
  });

  test('as Prometheus reads them: the same, asked of the database once however many read', async () => {
    const metrics = new PrometheusMetrics();
    const queue = await workWith(metrics);
    const asked = jest.spyOn(queue.engine, 'execute');
    const text = await waitFor('both are counted', async () => {
      const read = await metrics.text();
      return read.includes('outcome="failed"') && read.includes('outcome="succeeded"') && read;
    });
    const lines = text.split('\n');
    const database = String(bench.dataSource.driver.database);
    for (const line of [
      'tablequeue_enqueued_jobs_total{queue="post",job="mail",result="ok"} 2',
      'tablequeue_attempts_total{queue="post",job="mail",outcome="succeeded"} 1',
      'tablequeue_attempts_total{queue="post",job="mail",outcome="failed"} 1',
      'tablequeue_handler_duration_seconds_count{queue="post",job="mail",result="error"} 1',
      `tablequeue_jobs{database="${database}",prefix="tq_",queue="reports",state="ready"} 1`,
      `tablequeue_jobs{database="${database}",prefix="tq_",queue="reports",state="scheduled"} 1`,
      `tablequeue_failed_jobs{database="${database}",prefix="tq_"} 1`,
      `tablequeue_workers{database="${database}",prefix="tq_"} 1`,
    ]) {
      expect(lines).toContain(line);
    }
    expect(metrics.contentType).toContain('text/plain');
    const age = /tablequeue_oldest_ready_job_age_seconds{.*queue="reports"} ([\d.]+)/.exec(text)?.[1];
    expect(Number(age)).toBeGreaterThanOrEqual(90);
    for (const problem of ['kind="failed-jobs",severity="warning"', 'kind="no-worker",severity="critical"']) {
      expect(lines).toContain(`tablequeue_problems{database="${database}",prefix="tq_",${problem}} 1`);
    }
    asked.mockClear();
    await Promise.all(Array.from({ length: 20 }, () => metrics.text()));
    expect(asked).not.toHaveBeenCalled();
  });

  test('a queue that has become empty is reported as empty, and nothing is reported without the database', async () => {
    const registry = new Registry();
    const dataSource = await bench.database.connect();
    const metrics = new PrometheusMetrics({ registry });
    const queue = new TableQueue(dataSource, { clock: bench.clock, logger: bench.logger, instrumentation: metrics });
    const { id } = await queue.enqueue(report);
    bench.clock.advance('1m');
    const before = await registry.metrics();
    expect(before).toMatch(/tablequeue_jobs{.*queue="reports",state="ready"} 1/);
    expect(before).toMatch(/tablequeue_problems{.*kind="no-worker",severity="critical"} 1/);
    await queue.cancel(id);
    const fresh = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(fresh + 5_001);
    const after = await registry.metrics();
    expect(after).toMatch(/tablequeue_jobs{.*queue="reports",state="ready"} 0/);
    expect(after).toMatch(/tablequeue_problems{.*kind="no-worker",severity="critical"} 0/);
    await dataSource.destroy();
    clock.mockReturnValue(fresh + 10_002);
    const text = await registry.metrics();
    clock.mockRestore();
    expect(text).not.toContain('tablequeue_jobs{');
    expect(text).toContain('tablequeue_enqueued_jobs_total{queue="reports",job="report",result="ok"} 1');
  });
});

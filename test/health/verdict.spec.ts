import { expect, test } from '@jest/globals';
import { type HealthProblemKind, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { holdJob } from '../support/jobs.js';
import { databaseTime } from '../support/schedules.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail', retry: { attempts: 1 } });
const report = defineJob('report', { queue: 'reports' });
const MINUTE = 60_000;

describeEach('the verdict', (engine) => {
  const bench = useWorkbench(engine);
  const find = async (kind: HealthProblemKind) =>
    (await bench.queue.health()).problems.find((problem) => problem.kind === kind);
  /** How long ago a problem began, to the minute. */
  const minutesSince = (since: Date | undefined) =>
    Math.round((Date.now() - (since?.getTime() ?? Number.NaN)) / MINUTE);
  const succeeding = jobHandler(mail, () => undefined);
  const failing = jobHandler(mail, () => {
    throw new UnrecoverableJobError('no address');
  });

  test('no-worker: until a worker has the queue', async () => {
    await bench.queue.enqueue(mail);
    await bench.queue.enqueue(report);
    expect(await find('no-worker')).toBeUndefined();
    bench.clock.advance('2m');
    const found = await find('no-worker');
    expect(found).toMatchObject({ severity: 'critical', count: 2, examples: ['mail', 'reports'], failsCheck: false });
    expect(minutesSince(found?.since)).toBe(2);
    expect(found?.action).toMatch(/^Start a worker/);
    expect((await bench.queue.health()).isHealthy).toBe(true);
    await bench.work([succeeding]);
    await waitFor('the job has run', async () => (await find('no-worker'))?.count === 1);
    await bench.queue.cancelMany({ queue: 'reports' });
    expect(await bench.queue.health()).toMatchObject({ status: 'ok', problems: [] });
  });

  test('paused-queues, instead of late jobs: until the queue is resumed or empty', async () => {
    await bench.queue.enqueue(mail);
    await bench.queue.control.pause('mail');
    await bench.queue.control.pause('empty');
    bench.clock.advance('10m');
    const { status, problems } = await bench.queue.health();
    expect(status).toBe('notice');
    expect(problems).toMatchObject([{ kind: 'paused-queues', count: 1, examples: ['mail'] }]);
    expect(minutesSince(problems[0]?.since)).toBe(10);
    await bench.queue.control.resume('mail');
    expect((await bench.queue.health()).problems).toMatchObject([{ kind: 'no-worker' }]);
  });

  test('late-backlog: without a limit after five minutes, while a worker has the queue', async () => {
    await bench.queue.control.limit('mail', { concurrency: 1 });
    let end = () => {};
    const held = new Promise<void>((resolve) => (end = resolve));
    await bench.work([jobHandler(mail, () => held)]);
    await bench.queue.enqueueMany(mail, [{}, {}]);
    await waitFor('one runs', async () => (await bench.liveJobs()).some(({ state }) => state === 'running'));
    expect(await find('late-backlog')).toBeUndefined();
    await bench.dataSource.query("UPDATE tq_job SET position = position - 360000 WHERE state = 'ready'");
    const found = await find('late-backlog');
    expect(found).toMatchObject({ severity: 'warning', count: 1, examples: ['mail'], failsCheck: false });
    expect(minutesSince(found?.since)).toBe(6);
    end();
    await waitFor('it has run', async () => (await find('late-backlog')) === undefined);
  });

  test('stuck-jobs: after ten minutes, and twice the longest attempt of the day', async () => {
    let end = () => {};
    const held = new Promise<void>((resolve) => (end = resolve));
    await bench.work([jobHandler(mail, () => held)], { lease: '1h', queues: { mail: { concurrency: 50 } } });
    const jobs = await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 40 }, () => ({})),
    );
    await waitFor('all run', async () => (await bench.liveJobs()).every(({ state }) => state === 'running'));
    expect(await find('stuck-jobs')).toBeUndefined();
    await bench.dataSource.query('UPDATE tq_job SET claimed_at = claimed_at - 900000');
    const found = await find('stuck-jobs');
    expect(found).toMatchObject({ severity: 'warning', count: 40 });
    expect(jobs.map(({ id }) => id)).toContain(found?.examples[0]);
    expect(minutesSince(found?.since)).toBe(15);
    const minute = Math.floor((await databaseTime(bench)) / MINUTE) * MINUTE;
    for (const queue of ['', 'mail']) {
      await bench.dataSource.query(
        `INSERT INTO tq_throughput VALUES (${minute}, '${queue}', 1, 0, 0, 0, 0, 0, 480000, 480000)`,
      );
    }
    expect(await find('stuck-jobs')).toBeUndefined();
    await bench.dataSource.query("UPDATE tq_throughput SET queue = 'other' WHERE queue = 'mail'");
    expect(await find('stuck-jobs')).toMatchObject({ count: 40 });
    await bench.dataSource.query('DELETE FROM tq_throughput');
    expect(await find('stuck-jobs')).toMatchObject({ count: 40 });
    end();
    await waitFor('all have ended', async () => (await find('stuck-jobs')) === undefined);
  });

  test('failed-jobs and failing-attempts: until the jobs have run', async () => {
    const worker = await bench.work([failing]);
    await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 12 }, () => ({})),
    );
    await waitFor('all have failed', async () => (await bench.countFinished()) === 12);
    expect(await find('failed-jobs')).toMatchObject({ severity: 'warning', count: 12, examples: ['mail'] });
    // Stopping writes what is counted every 10 s.
    await worker.stop();
    const failures = await find('failing-attempts');
    expect(failures).toMatchObject({
      severity: 'warning',
      count: 1,
      message: '100% of the attempts of "mail" have failed within the hour.',
    });
    expect(minutesSince(failures?.since)).toBeLessThanOrEqual(1);
    bench.clock.advance('2h');
    const old = await find('failed-jobs');
    expect(old).toMatchObject({ severity: 'notice', count: 12 });
    expect(minutesSince(old?.since)).toBe(120);
    expect(await find('failing-attempts')).toBeUndefined();
    await bench.queue.failed.retryMany({ queue: 'mail' });
    await bench.work([succeeding]);
    await waitFor('all have succeeded', async () => bench.isEmpty());
    expect(await find('failed-jobs')).toBeUndefined();
  });

  test('missed-ticks: until a scheduler has run', async () => {
    await bench.queue.recurring.set('nightly', report, undefined, { every: '1h' });
    await bench.queue.recurring.set('paused', report, undefined, { every: '1h' });
    await bench.queue.recurring.pause('paused');
    const before = await find('missed-ticks');
    await bench.dataSource.query(
      `UPDATE tq_schedule SET next_fire_at = ${(await databaseTime(bench)) - 5 * MINUTE} WHERE name = 'nightly'`,
    );
    const found = await find('missed-ticks');
    expect([before, found]).toMatchObject([undefined, { severity: 'critical', count: 1, examples: ['nightly'] }]);
    expect(minutesSince(found?.since)).toBe(5);
    await bench.work([], { maintenance: {} });
    await waitFor('it has fired', async () => (await find('missed-ticks')) === undefined);
  });

  test('dead-workers, or abandoned-jobs if they have left some: until a reaper has run', async () => {
    const worker = await bench.startProcess({ maintenance: false });
    await bench.queue.enqueue(holdJob, 1);
    await waitFor('the job runs', () => worker.reported.held === 1);
    await worker.child.end('SIGKILL');
    await bench.dataSource.query(`UPDATE tq_worker SET lease_until = ${(await databaseTime(bench)) - 3 * MINUTE}`);
    const abandoned = await find('abandoned-jobs');
    expect(abandoned).toMatchObject({ severity: 'warning', count: 1 });
    expect(minutesSince(abandoned?.since)).toBe(3);
    expect(await find('dead-workers')).toBeUndefined();
    await bench.queue.cancelMany({ queue: abandoned!.examples[0]! });
    await bench.dataSource.query('DELETE FROM tq_job');
    expect(await find('dead-workers')).toMatchObject({ count: 1, examples: [expect.stringMatching(/^\d+ on /)] });
    await bench.work([], { maintenance: { reaper: '100ms' } });
    await waitFor('it is removed', async () => (await find('dead-workers')) === undefined);
  });
});

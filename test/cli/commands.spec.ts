import { expect, test } from '@jest/globals';
import { type FailedErrors, TABLES_VERSION, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueQueueRow } from '@tablequeue/typeorm/internal';

import { commandUrl, runHere } from '../support/command-line.js';
import { createEmptyDatabase } from '../support/database.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const sendEmail = defineJob<number>('email.send', { queue: 'mail' });
const report = defineJob<number>('report.make', { queue: 'reports' });

describeEach('the command line', (engine) => {
  const bench = useWorkbench(engine);
  const run = (...args: string[]) => runHere(args, { TABLEQUEUE_URL: commandUrl(bench.database) });
  const json = async (...args: string[]) => {
    const { out, err, code } = await run(...args, '--json');
    expect(err).toBe('');
    return { code, value: JSON.parse(out) as never as Record<string, unknown> };
  };

  /** The audit log, the oldest entry first. */
  const audit = async () => {
    const { entries } = await bench.queue.activity.audit();
    return entries.map(({ who, action, target, detail }) => ({ who, action, target, detail })).toReversed();
  };

  /** Enqueues jobs whose first attempt fails them. */
  async function fail(numbers: readonly number[]): Promise<string[]> {
    const jobs = await bench.queue.enqueueMany(
      sendEmail,
      numbers.map((payload) => ({ payload })),
    );
    const worker = await bench.work([
      jobHandler(sendEmail, (number) => {
        throw new UnrecoverableJobError(`no address ${number}`);
      }),
    ]);
    await waitFor(
      'all jobs have failed',
      async () => (await bench.queue.failed.count({ queue: 'mail' })) >= numbers.length,
    );
    await worker.stop();
    return jobs.map(({ id }) => id);
  }

  test('job: errors that the command cannot decode are shown as such', async () => {
    const [id = ''] = await fail([1]);
    const encoded = 'codec:aes-2025,AAAA';
    await bench.dataSource.query('UPDATE tq_job SET last_error = ?, payload = ?', [encoded, encoded]);
    await bench.dataSource.query('UPDATE tq_error SET error = ?', [encoded]);
    const why = 'cannot be decoded: codec aes-2025 is not known here';
    const { out } = await run('job', id);
    expect(out).toContain(why);
    expect(out).not.toContain('AAAA');
    expect((await json('job', id)).value).toMatchObject({ errors: [{ attempt: 1, error: why }] });
  });

  test('job: a durable job, what it waits for, and its steps', async () => {
    const order = defineJob<{ secret: string }>('order.fulfil', { queue: 'orders' });
    const worker = await bench.work([
      jobHandler(order, async (_order, job) => {
        await job.step('charge', () => ({ secret: 'ch_1' }));
        await job.waitForSignal('approved', { timeout: '3d' });
      }),
    ]);
    const parked = new Promise((resolve) => worker.events.once('parked', resolve));
    const { id } = await bench.queue.enqueue(order, { secret: 'a name' }, { key: 'order:7' });
    await parked;
    await worker.stop();

    const { out, code } = await run('job', id);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`^order.fulfil  ${id}\nscheduled in the queue orders, attempt 1, 0 failures\nkey order:7\n`),
    );
    expect(out).toMatch(/^waits for approved until \d{4}-/m);
    expect(out).toMatch(/^charge +step +done +1 +\d+ms +\d{4}-/m);
    expect(out).toMatch(/^approved +signal +open +1 /m);

    const { value } = await json('job', id);
    expect(value).toMatchObject({ id, name: 'order.fulfil', state: 'scheduled', key: 'order:7', errors: [] });
    expect(value.steps).toMatchObject([
      { name: 'charge', kind: 'step', state: 'done' },
      { name: 'approved', kind: 'signal', state: 'open', awaits: ['approved'] },
    ]);
    expect(out + JSON.stringify(value)).not.toMatch(/ch_1|a name/);

    const none = '0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d';
    expect(await run('job', none)).toEqual({
      code: 1,
      out: '',
      err: `tablequeue: There is no job ${none}: it never existed, or was pruned.\n`,
    });
    expect(await json('job', none)).toEqual({ code: 1, value: null });
    const err = 'tablequeue: "seven" is not the id of a job, which is a UUID.\n';
    expect(await run('job', 'seven')).toEqual({ code: 2, out: '', err });
  });

  test('job --follow: prints the log until the job has ended', async () => {
    const talk = defineJob('talk');
    let end: (() => void) | undefined;
    const worker = await bench.work([
      jobHandler(talk, async (_payload, { log }) => {
        log.info('first\u001b[2J\u202e', { to: 'ada' });
        await new Promise<void>((resolve) => (end = resolve));
        for (let line = 0; line < 1_500; line++) {
          log.warn('more\nlines');
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(talk);
    await waitFor('it runs', () => end);
    const following = run('job', id, '--follow');
    await waitFor('the first line is stored', async () => (await bench.queue.jobs.logs(id)).length === 1);
    end!();
    const { out, code } = await following;
    await worker.stop();
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\d{4}-\S+ 1 info first\\u001b\[2J\\u202e \{"to":"ada"\}$/);
    expect(lines.slice(1, 3)).toEqual([expect.stringMatching(/ 1 warn more$/), '  lines']);
    expect(lines.at(-1)).toMatch(/ warn 501 more lines were dropped/);
    const { out: asJson } = await run('job', id, '--follow', '--json');
    const values = asJson
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(values).toHaveLength(1_001);
    expect(values[0]).toMatchObject({ attempt: 1, seq: 1, level: 'info', fields: { to: 'ada' } });
  });

  test('migrate: status, a dry run, up, and down only with --yes', async () => {
    const database = await createEmptyDatabase(engine);
    const migrate = (...args: string[]) => runHere(['migrate', '--url', commandUrl(database), ...args]);
    expect((await migrate('--status')).out).toMatch(/^The tables tq_\* of .* are missing\.\n$/);
    const { out: sql } = await migrate('--dry-run');
    expect(sql.match(/CREATE TABLE IF NOT EXISTS/g)).toHaveLength(26);
    expect((await migrate('--status')).out).toContain('missing');

    expect(await migrate()).toEqual({ code: 0, out: `The tables are at version ${TABLES_VERSION}.\n`, err: '' });
    expect((await migrate()).out).toBe(`Nothing to do: the tables are at version ${TABLES_VERSION}.\n`);
    expect((await migrate('--status')).out).toContain(`at version ${TABLES_VERSION}, the latest`);

    const { out: report } = await runHere(['doctor', '--url', commandUrl(database)]);
    expect(report).toMatch(/^ok +tables +all 26 tables exist, version 1$/m);

    const dataSource = await database.connect();
    await dataSource.query('DROP TABLE tq_lock');
    expect((await migrate('--status')).out).toContain(`Version 1 is incomplete; missing: tq_lock.`);
    expect((await migrate()).out).toBe(`The tables are at version ${TABLES_VERSION}.\n`);

    const preview = await migrate('--down', '--to', '0');
    expect(preview.out).toContain('DROP TABLE');
    expect(preview.err).toContain('Nothing was changed. Repeat the command with --yes');
    expect((await migrate('--status')).out).toContain('the latest');
    expect((await migrate('--down', '--to', '0', '--yes')).out).toBe('The tables are at version 0.\n');
    expect((await migrate('--status')).out).toContain('missing');
    expect(await runHere(['stats', '--url', commandUrl(database)])).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no tables of the queue with the prefix "tq_". Create them: npx tablequeue'),
    });
    const other = ['--url', commandUrl(database), '--prefix', 'shop_'];
    const { err } = await runHere(['stats', ...other]);
    expect(err).toContain(`. Create them: npx tablequeue migrate ${other.join(' ')}\n`);
    const { by } = await doctor(commandUrl(database), '--prefix', 'shop_');
    expect(by.tables?.change).toEqual([
      `Run npx tablequeue migrate ${other.join(' ')}, or call upTableQueue with the same prefix in a migration of your own.`,
    ]);
    await database.drop();
  });

  test('pause and resume', async () => {
    await bench.queue.enqueue(sendEmail, 1);
    expect((await run('pause', 'mail')).out).toMatch(/^Paused mail since 20..-/);
    expect(await bench.queue.control.list()).toMatchObject([{ queue: 'mail', pausedAt: expect.any(Date) }]);
    expect((await run('resume', 'mail')).out).toBe('Resumed mail.\n');
    expect(await bench.rows(TableQueueQueueRow)).toMatchObject([{ queue: 'mail', pausedAt: null }]);
    expect((await run('pause', 'mial')).err).toContain(
      'no job, worker or schedule uses the queue "mial" at present. Queues in use: mail.',
    );
    expect(await run('pause', 'bad name')).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^tablequeue: 'bad name' is not a valid queue name/),
    });
  });

  test('pause and resume are recorded', async () => {
    await run('pause', 'mail', '--by', 'ada', '--reason', 'the server is down');
    await run('resume', 'mail', '--by', 'bob');
    await run('pause', 'mail');
    const target = 'queue mail';
    expect(await audit()).toMatchObject([
      { who: 'ada', action: 'pause', target, detail: { reason: 'the server is down' } },
      { who: 'bob', action: 'resume', target },
      { who: undefined, action: 'pause', target },
    ]);
    expect(await run('pause', 'mail', '--by', '')).toMatchObject({ code: 2, out: '' });
  });

  test('workers: listed, quieted and stopped', async () => {
    expect((await run('workers')).out).toBe('No worker is registered.\n');
    const worker = await bench.work([jobHandler(report, () => undefined)], { codeVersion: '4.2' });
    const { lease } = worker['liveness'];
    const id = String(lease.owner);
    expect((await run('workers')).out).toMatch(new RegExp(`^${id} +\\S+ +${process.pid} +4\\.2 +.* working +0 `, 'm'));
    expect(await run('workers', 'quiet', id, '--by', 'ada')).toMatchObject({
      code: 0,
      out: `When it next renews its lease, worker ${id} claims no more jobs. Its running jobs continue.\n`,
    });
    lease.onLockChanged();
    await waitFor('it is quiet', async () => / quiet {2}/.test((await run('workers')).out));
    expect((await json('workers')).value).toMatchObject([{ state: 'quiet', request: { action: 'quiet', by: 'ada' } }]);
    expect((await run('workers', 'stop', id)).code).toBe(0);
    lease.onLockChanged();
    await waitFor('it has ended', async () => (await run('workers')).out === 'No worker is registered.\n');
    expect(await run('workers', 'stop', id)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/has a lease.* Find the id with "npx tablequeue workers"/),
    });
    expect(await run('workers', 'stop')).toMatchObject({ code: 2, err: expect.stringContaining('needs the id') });
    expect(await run('workers', 'kill', id)).toMatchObject({ code: 2 });
  });

  test('stats', async () => {
    await fail([1, 2]);
    await bench.queue.enqueueMany(report, [{ payload: 1 }, { payload: 2, delay: '1h' }]);
    // The oldest job is not the first of its lane, because one with another priority precedes it.
    await bench.queue.enqueue(report, 3, { priority: 5, runAt: new Date(Date.now() - 2 * 3_600_000) });
    await bench.queue.control.pause('reports');
    await bench.queue.recurring.set('nightly', report, 0, { cron: '0 3 * * *', timeZone: 'UTC' });
    const worker = await bench.work([jobHandler(report, () => undefined)]);

    const { value } = await json('stats');
    expect(value).toMatchObject({
      failed: { count: 2, isCapped: false, withinMs: 86_400_000 },
      queues: [
        { queue: 'mail', failed: 2, ready: { count: 0, isCapped: false }, oldestReadyMs: null, pausedAt: null },
        { queue: 'reports', failed: 0, ready: { count: 2 }, scheduled: { count: 1 }, pausedAt: expect.any(String) },
      ],
      workers: [{ pid: process.pid, queues: ['reports'], isAlive: true }],
      schedules: [{ name: 'nightly', job: 'report.make', cron: '0 3 * * *', timeZone: 'UTC' }],
    });
    expect(JSON.stringify(await json('stats', '--failed-within', '1ms'))).toContain('"failed":{"count":0');
    const { out } = await run('stats');
    expect(out).toMatch(/^queue +waiting +scheduled +ready +oldest ready +running +failed in 1d$/m);
    expect(out).toMatch(/^reports +0 +1 +2 +2h +0 +0 +paused since 20/m);
    expect(out).toMatch(/^nightly +report\.make +reports +0 3 \* \* \* UTC +20/m);
    expect(out).not.toContain('\u001B');
    await worker.stop();
    expect((await run('stats')).out).toContain('No worker is registered.');
  });

  test('retry: by id, and with filters that count first', async () => {
    const [first = '', ...others] = await fail([1, 2, 21]);
    expect((await run('retry', first, '--by', 'ada')).out).toBe(`${first} is retried.\n`);
    expect(await audit()).toMatchObject([{ who: 'ada', action: 'retry', target: `job ${first}` }]);
    expect(await run('retry', first)).toMatchObject({
      code: 1,
      out: `${first} is not a failed, cancelled or expired job.\n`,
    });

    const filter = ['retry', '--queue', 'mail', '--name', 'email.send', '--error', 'address 2', '--newer-than', '1h'];
    expect((await run(...filter)).out).toBe(
      '2 failed jobs would be retried. Nothing was changed. Repeat the command with --yes.\n',
    );
    expect((await json(...filter, '--older-than', '1h')).value).toEqual({ matching: 0, isCapped: false, retried: 0 });
    expect(await bench.queue.failed.count()).toBe(2);
    expect((await run('retry', '--name', 'nope')).out).toBe('No job matches.\n');
    expect((await run(...filter, '--by', 'ada', '--yes')).out).toBe('2 jobs retried.\n');
    expect((await audit()).at(-1)).toMatchObject({ who: 'ada', action: 'retry' });
    expect(await bench.queue.failed.count()).toBe(0);
    expect((await bench.liveJobs()).map(({ id }) => id).sort()).toEqual([first, ...others].sort());
    expect(await run('retry')).toMatchObject({ code: 2, out: '' });
    expect(await run('retry', first, '--all')).toMatchObject({ code: 2 });
  });

  test('retry: a job whose unique key another job has stays as it is', async () => {
    const unique = { key: 'one' };
    const { id } = await bench.queue.enqueue(report, 1, { unique });
    await bench.queue.cancel(id);
    const { id: holder } = await bench.queue.enqueue(report, 2, { unique });
    const out = `${id} cannot be retried: job ${holder} has its unique key.\n`;
    expect(await run('retry', id)).toMatchObject({ code: 1, out });
    expect((await json('retry', id)).value).toEqual([{ id, retried: false, holder }]);
  });

  test('failures: failed jobs by error', async () => {
    expect((await run('failures')).out).toBe('No failed jobs.\n');
    await fail([1, 22]);
    const { value } = await json('failures');
    const [error] = (value as never as FailedErrors).errors;
    expect(error).toMatchObject({ title: 'UnrecoverableJobError: no address <number>', count: 2, queues: ['mail'] });
    const { out } = await run('failures', '--queue', 'mail');
    expect(out).toMatch(
      /^jobs +error +queues +first +last +fingerprint\n +2 +UnrecoverableJobError: no address <number> /,
    );
    expect(out).toContain('\n2 failed jobs.\n');
    await bench.queue.failed.mute(error?.fingerprint ?? '', '1h');
    const muted = /^Muted:\njobs +error .* +muted until\n +2 +UnrecoverableJobError: .* \S+Z\n2 failed jobs\.\n$/;
    expect((await run('failures')).out).toMatch(muted);
    const retry = ['bulk', 'retry', '--state', 'failed', '--fingerprint'];
    expect((await run(...retry, '0123456789abcdef')).out).toBe('No job matches.\n');
    expect((await run(...retry, error?.fingerprint ?? '', '--yes')).out).toContain('retry is done: 2 jobs changed');
  });

  test('search: a text in all states, and payloads that the command cannot decode', async () => {
    const [failed = ''] = await fail([7]);
    const { id } = await bench.queue.enqueue(report, 7, { key: 'no address 7', delay: '1h' });
    const { out } = await run('search', 'no address 7');
    expect(out).toMatch(
      /^id +state +found in +name +queue +key +created\n\S+ +scheduled +key .*\n\S+ +failed +error +email.send +mail .*\n/,
    );
    expect(out).toMatch(/\nAll jobs were searched: 2 jobs\.\n$/);
    const ofState = await run('search', 'no address 7', '--state', 'failed');
    expect(ofState.out).toContain('\nAlso found in: scheduled 1.\n');
    const first = (await json('search', 'no address 7', '--limit', '1')).value;
    expect(first).toMatchObject({ jobs: [{ id, foundIn: 'key' }], counts: { scheduled: 1, failed: 0 } });
    const rest = (await json('search', 'no address 7', '--after', String(first.next))).value;
    expect(rest).toMatchObject({ jobs: [{ id: failed, error: 'UnrecoverableJobError: no address 7' }] });
    await bench.dataSource.query("UPDATE tq_job SET payload = 'codec:aes-2025,AAAA'");
    expect((await run('search', 'AAAA', '--payload')).out).toBe(
      'No job found.\nEncoded errors and payloads were not searched: codec aes-2025.\nAll jobs were searched: 2 jobs.\n',
    );
    expect(await run('search', 'x', '--state', 'done')).toMatchObject({ code: 2 });
    expect(await run('search', 'x', '--limit', '1001')).toMatchObject({ code: 2 });
  });

  test('blocked and skip: order keys that are blocked', async () => {
    const ordered = defineJob<number>('ordered', { order: { by: () => 'account 1' } });
    expect((await run('blocked')).out).toBe('No order key is blocked.\n');
    const [first = '', second = ''] = (await bench.queue.enqueueMany(ordered, [{ payload: 1 }, { payload: 2 }])).map(
      ({ id }) => id,
    );
    const worker = await bench.work([
      jobHandler(ordered, () => {
        throw new UnrecoverableJobError('no such account');
      }),
    ]);
    await bench.untilJobIs(first, 'failed');
    const blocked = { name: 'ordered', key: 'account 1', jobId: first, blockedAt: expect.any(String), behind: 1 };
    expect((await json('blocked')).value).toEqual({ keys: [blocked], isComplete: true });
    expect((await run('blocked')).out).toMatch(
      /^name +order key +failed job +blocked since +behind\nordered +account 1/,
    );
    await worker.stop();
    expect((await run('skip', first, '--by', 'ada')).out).toBe('Jobs skipped: 1.\n');
    expect(await audit()).toMatchObject([{ who: 'ada', action: 'skip', target: `job ${first}` }]);
    expect(await run('skip', first)).toMatchObject({
      code: 1,
      out: 'Jobs skipped: 0. Jobs that block no order key, or are locked: 1.\n',
    });
    expect(await bench.queue.find(second)).toMatchObject({ state: 'ready' });
  });

  test('cancel: by id, by key and by queue', async () => {
    const { id } = await bench.queue.enqueue(sendEmail, 1);
    await bench.queue.enqueueMany(sendEmail, [{ payload: 2, key: 'order:42' }, { payload: 3 }]);
    await bench.queue.enqueue(report, 4, { key: 'order:42' });
    expect((await run('cancel', id, '--by', 'ada')).out).toBe(`${id} is cancelled.\n`);
    expect(await audit()).toMatchObject([{ who: 'ada', action: 'cancel', target: `job ${id}` }]);
    expect(await run('cancel', id)).toMatchObject({ code: 1, out: `${id} has ended or does not exist.\n` });

    const byKey = ['cancel', '--key', 'order:42', '--name', 'report.make'];
    expect((await json(...byKey)).value).toEqual({ cancelled: 1, requested: 0, done: false });
    expect((await json(...byKey, '--yes')).value).toEqual({ cancelled: 1, requested: 0, done: true });
    expect((await run('cancel', '--queue', 'mail', '--older-than', '1h')).out).toBe('No job matches.\n');
    expect(await run('cancel', '--queue', 'mail', '--by', 'ada')).toMatchObject({ code: 2, out: '' });
    expect((await run('cancel', '--queue', 'mail')).out).toMatch(/^2 jobs would be cancelled/);
    expect(await bench.liveJobs()).toHaveLength(2);
    expect((await run('cancel', '--queue', 'mail', '--yes')).out).toBe('2 jobs cancelled, 0 running asked to stop.\n');
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('cancel: a running job is asked to stop', async () => {
    const { id } = await bench.queue.enqueue(report, 1);
    let running: { readonly signal: AbortSignal; readonly end: () => void } | undefined;
    const worker = await bench.work([
      jobHandler(report, async (_payload, { signal }) => {
        await new Promise<void>((resolve) => (running = { signal, end: resolve }));
        signal.throwIfAborted();
      }),
    ]);
    const { signal, end } = await waitFor('it runs', () => running);
    expect((await run('cancel', id)).out).toBe(`${id} is running, and was asked to stop.\n`);
    await waitFor('its signal is aborted', () => signal.aborted);
    end();
    await bench.untilJobIs(id, 'cancelled');
    await worker.stop();
  });

  test('prune', async () => {
    await fail([1, 2]);
    // A number without a unit is ambiguous.
    expect(await run('prune', '--older-than', '30')).toMatchObject({
      code: 2,
      err: expect.stringContaining('a duration with its unit'),
    });
    expect((await run('prune', '--older-than', '1d')).out).toBe('Deleted 0 jobs that finished more than 1d ago.\n');
    expect((await json('prune', '--older-than', '0')).value).toEqual({ deleted: 2 });
    expect(await bench.finishedJobs()).toEqual([]);
  });
});

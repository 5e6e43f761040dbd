import { isDeepStrictEqual } from 'node:util';

import { expect, test } from '@jest/globals';
import { UnrecoverableJobError, defineJob, exponential, fixed, jobHandler } from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const add = defineJob<{ a: number; b: number }>('add');
const flaky = defineJob('flaky', { retry: { attempts: 3, backoff: fixed('1h') } });

describeOnOlderToo('outcomes', (engine) => {
  const bench = useWorkbench(engine);

  test('a job whose last attempt fails ends as failed, with its error', async () => {
    const once = defineJob('once', { retry: { attempts: 1 } });
    const events: string[] = [];
    const worker = await bench.work([
      jobHandler(once, () => {
        throw new Error('no way', { cause: new Error('the reason') });
      }),
    ]);
    worker.events.on('failed', (job, error) => events.push(`${job.name} ${error.message}`));
    const { id } = await bench.queue.enqueue(once);
    const job = await bench.untilJobIs(id, 'failed');
    expect(job).toMatchObject({ attempt: 1, failures: 1, result: undefined });
    expect(job.error).toContain('no way');
    expect(job.error).toContain('the reason');
    await waitFor('the event', () => events.includes('once no way'));
  });

  test('an UnrecoverableJobError is not tried again', async () => {
    await bench.work([
      jobHandler(flaky, () => {
        throw new UnrecoverableJobError('address does not exist');
      }),
    ]);
    const { id } = await bench.queue.enqueue(flaky);
    expect(await bench.untilJobIs(id, 'failed')).toMatchObject({ attempt: 1, failures: 1 });
  });

  test('a backoff function that fails does not cost the job', async () => {
    const odd = defineJob('odd', { retry: { backoff: () => Number.NaN } });
    await bench.work([
      jobHandler(odd, () => {
        throw new Error('broken');
      }),
    ]);
    const { id } = await bench.queue.enqueue(odd);
    await bench.untilJobIs(id, 'scheduled');
    expect(bench.logger.lines.join('\n')).toContain('backoff function of job "odd"');
  });

  test.each([
    ['is no JSON', () => ({ amount: 1n }), /not stored: .*BigInt/],
    ['is too large', () => 'x'.repeat(2 * 1024 * 1024), /not stored: it is 2097154 bytes/],
    ['throws what cannot be read', async () => ({ toJSON: throwUnreadable }), /not stored: an error whose text/],
  ])('a job whose result %s still succeeds, with a warning', async (_what, handle, note) => {
    const odd = defineJob('odd.result');
    await bench.work([jobHandler(odd, handle)]);
    const { id } = await bench.queue.enqueue(odd);
    const job = await bench.untilJobIs(id, 'succeeded');
    expect(job).toMatchObject({ attempt: 1, result: undefined });
    expect(job.error).toMatch(note);
  });

  class Unreadable extends Error {
    override get message(): string {
      throw new Error('no');
    }

    override get stack(): string {
      throw new Error('no');
    }
  }
  const throwUnreadable = () => {
    throw new Unreadable();
  };
  const withMessage = (message: unknown) => {
    const error = new Error('what');
    return Object.assign(error, { stack: error.stack, message });
  };
  test.each([
    ['a string', 'broken', 'broken'],
    ['undefined', undefined, 'undefined'],
    ['an object without a prototype', Object.create(null) as object, '[Object: null prototype] {}'],
    ['an error that cannot be read', new Unreadable(), 'cannot be read'],
    ['an error whose message is no text', withMessage(Symbol('no')), 'Error: Symbol(no)'],
    ['an error with emoji and NUL', new Error('boom 🦊 \0'), 'boom 🦊 \\0'],
  ])('a handler may throw %s', async (_what, thrown, text) => {
    const odd = defineJob('odd.error', { retry: { attempts: 1 } });
    const worker = await bench.work([
      jobHandler(odd, () => {
        throw thrown;
      }),
    ]);
    const { id } = await bench.queue.enqueue(odd);
    expect((await bench.untilJobIs(id, 'failed')).error).toContain(text);
    await waitFor('its slot is free again', () => worker.activeJobs === 0);
  });

  test('an outcome that the database refuses does not block other jobs, and the job does not run again', async () => {
    let runs = 0;
    await bench.work([jobHandler(add, ({ a }) => (runs++, a))], { concurrency: 20 });
    // Its UPDATE is refused, and with it the batch it is in.
    const isRefused = `NEW.state = 'succeeded' AND NEW.payload = '{"a":0,"b":0}'`;
    await bench.dataSource.query(
      `CREATE TRIGGER refuse BEFORE UPDATE ON tq_job FOR EACH ROW ${
        engine === 'sqlite'
          ? `WHEN ${isRefused} BEGIN SELECT RAISE(ABORT, 'duplicate'); END`
          : `IF ${isRefused} THEN SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = 'duplicate'; END IF`
      }`,
    );
    const [refused, ...others] = await bench.queue.enqueueMany(
      add,
      Array.from({ length: 10 }, (_, a) => ({ payload: { a, b: 0 } })),
    );
    for (const { id } of others) {
      await bench.untilJobIs(id, 'succeeded');
    }
    // In a second file of one test process, errors of better-sqlite3 are of the first file, and shown with their code.
    await waitFor('the refusal is reported', () =>
      bench.logger.lines.some((line) => /could not be stored.*(duplicate|SQLITE_CONSTRAINT_TRIGGER)/.test(line)),
    );
    expect(await bench.liveJobs()).toMatchObject([{ id: refused!.id, state: 'running' }]);
    await bench.dataSource.query('DROP TRIGGER refuse');
    // Unchanged: the error was not about the result.
    expect(await bench.untilJobIs(refused!.id, 'succeeded')).toMatchObject({ result: 0, error: undefined });
    expect(runs).toBe(10);
  });

  test('jobs that end at the same time each store their own result, of any type and length', async () => {
    const results = Array.from({ length: 300 }, (_, a) => {
      switch (a % 5) {
        case 0:
          return undefined;
        case 1:
          return a;
        case 2:
          return { text: `'${a}' \\ "?" \u{1F40C}\n`, none: null };
        case 3:
          return [a, null, `${a}`.repeat(a)];
        default:
          return a < 150 ? undefined : `CASE WHEN ${a}`;
      }
    });
    // Those of the jobs in the second half are too long for one statement.
    results.fill('long'.repeat(250_000), 230, 233);
    for (const [from, to] of [
      [0, 200],
      [200, 300],
    ] as const) {
      let running = 0;
      let end!: () => void;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const handler = jobHandler(add, async ({ a }) => {
        running++;
        await ended;
        return results[a];
      });
      const worker = await bench.work([handler], { concurrency: to - from });
      const jobs = await bench.queue.enqueueMany(
        add,
        Array.from({ length: to - from }, (_, index) => ({ payload: { a: from + index, b: 0 } })),
      );
      await waitFor('all run', () => running === to - from);
      end();
      for (const [index, { id }] of jobs.entries()) {
        const { result } = await bench.untilJobIs(id, 'succeeded');
        expect(isDeepStrictEqual(result, results[from + index])).toBe(true);
      }
      await worker.stop();
    }
  });

  if (engine !== 'sqlite') {
    test('a result that the database cannot store is omitted, with a warning', async () => {
      await bench.work([jobHandler(add, ({ a }) => a)]);
      await bench.dataSource.query(
        'CREATE TRIGGER narrow BEFORE UPDATE ON tq_job FOR EACH ROW IF NEW.result IS NOT NULL THEN ' +
          "SIGNAL SQLSTATE '22001' SET MYSQL_ERRNO = 1406, MESSAGE_TEXT = 'Data too long for column'; END IF",
      );
      const { id } = await bench.queue.enqueue(add, { a: 1, b: 0 });
      const job = await bench.untilJobIs(id, 'succeeded');
      await bench.dataSource.query('DROP TRIGGER narrow');
      expect(job).toMatchObject({ attempt: 1, result: undefined });
      expect(job.error).toMatch(/^The result could not be stored: .*Data too long/);
    });
  }
});

test('exponential backoff grows to its limit, less its jitter', () => {
  const exact = exponential({ from: '2s', max: '10s', jitter: 0 });
  expect([1, 2, 3, 4, 100].map(exact)).toEqual([2000, 4000, 8000, 10_000, 10_000]);
  const random = exponential({ from: '1s', max: '1s', jitter: 0.5 });
  const waits = Array.from({ length: 200 }, () => random(1));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1000);
  expect(new Set(waits).size).toBeGreaterThan(10);
});

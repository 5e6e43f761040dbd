import { expect, test } from '@jest/globals';
import {
  type JobSnapshot,
  SnoozeJobError,
  UnrecoverableJobError,
  defineJob,
  fixed,
  jobHandler,
  paymentNoticeRetry,
} from '@tablequeue/typeorm';
import { TableQueueErrorRow } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { databaseTime } from '../support/schedules.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const flaky = defineJob('flaky', { retry: { attempts: 3, backoff: fixed('1h') } });
const stubborn = defineJob('stubborn', { retry: { attempts: 40, backoff: fixed('1h') } });
const notice = defineJob('payment.notify', { retry: paymentNoticeRetry });
const MINUTE = 60_000;

/** The statements of one transaction each have their own time: what an attempt has thrown is noted behind its end. */
function expectDueAfter(delay: number, { claimedAt, runAt, errors }: JobSnapshot): void {
  expect(runAt.getTime()).toBeGreaterThanOrEqual(claimedAt!.getTime() + delay);
  expect(runAt.getTime()).toBeLessThanOrEqual(errors.at(-1)!.failedAt.getTime() + delay);
}

describeEach('failed attempts', (engine) => {
  const bench = useWorkbench(engine);

  /** Waits until an attempt has failed, and lets the wait for the next one pass. */
  async function pastFailure(id: string, failures: number): Promise<JobSnapshot> {
    const job = await waitFor(`failure ${failures}`, async () => {
      const found = await bench.queue.find(id);
      return found?.failures === failures && found;
    });
    bench.clock.advance('1h');
    return job;
  }

  const throwing = (message: (attempt: number) => string, definition = flaky) =>
    jobHandler(definition, (_payload, { attempt }) => {
      throw new Error(message(attempt));
    });

  test('a list of delays is followed, and the job fails after the last one', async () => {
    const waits: number[] = [];
    const worker = await bench.work([throwing(() => 'no answer', notice)]);
    worker.events.on('retried', (_job, _error, delay) => waits.push(delay / MINUTE));
    const { id } = await bench.queue.enqueue(notice);
    for (let failures = 1; failures <= 15; failures++) {
      const job = await waitFor(`failure ${failures}`, async () => {
        const found = await bench.queue.find(id);
        return found?.failures === failures && found.state === 'scheduled' && waits.length === failures && found;
      });
      expectDueAfter(waits.at(-1)! * MINUTE, job);
      bench.clock.advance('6h');
    }
    expect(waits).toEqual([0.25, 0.25, 0.5, 3, 10, 20, 30, 30, 30, 60, 180, 180, 180, 360, 360]);
    expect(await bench.untilJobIs(id, 'failed')).toMatchObject({ failures: 16, attempt: 16 });
  });

  test('the errors of all attempts are stored, for live and finished jobs', async () => {
    await bench.work([throwing((attempt) => `broken ${attempt} 🦊`)]);
    const { id } = await bench.queue.enqueue(flaky);
    const first = await pastFailure(id, 1);
    expect(first).toMatchObject({ state: 'scheduled', errors: [{ attempt: 1 }] });
    expect(first.errors[0]!.error).toContain('broken 1 🦊');
    expectDueAfter(60 * MINUTE, first);
    await pastFailure(id, 2);
    const { errors, error, claimedAt, finishedAt } = await bench.untilJobIs(id, 'failed');
    expect(errors.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(errors[2]).toMatchObject({ claimedAt, error });
    const times = [
      first.runAt,
      errors[1]!.claimedAt,
      errors[1]!.failedAt,
      claimedAt!,
      finishedAt!,
      errors[2]!.failedAt,
      new Date(await databaseTime(bench)),
    ];
    expect(times).toEqual(times.toSorted((a, b) => a.getTime() - b.getTime()));
  });

  test('the errors of a job that finally succeeds stay stored, separate from those of other jobs', async () => {
    await bench.work([
      jobHandler(flaky, (_payload, { attempt, key }) => {
        if (attempt === 1) {
          throw new Error(`broken ${key}`);
        }
      }),
    ]);
    const jobs = await Promise.all(
      Array.from({ length: 30 }, (_, index) => bench.queue.enqueue(flaky, undefined, { key: `k${index}` })),
    );
    for (const { id } of jobs) {
      await waitFor('its first attempt has failed', async () => (await bench.queue.find(id))?.failures === 1);
    }
    bench.clock.advance('1h');
    for (const [index, { id }] of jobs.entries()) {
      const { errors } = await bench.untilJobIs(id, 'succeeded');
      expect(errors).toEqual([
        {
          attempt: 1,
          claimedAt: expect.any(Date),
          failedAt: expect.any(Date),
          error: expect.stringContaining(`broken k${index}\n`),
        },
      ]);
    }
  });

  test('at most the last 20 errors of a job are stored', async () => {
    await bench.work([throwing((attempt) => `broken ${attempt}`, stubborn)]);
    const { id } = await bench.queue.enqueue(stubborn);
    for (let failures = 1; failures < 23; failures++) {
      await pastFailure(id, failures);
    }
    const { errors } = await pastFailure(id, 23);
    expect(errors.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, index) => index + 4));
    expect(await bench.rows(TableQueueErrorRow)).toHaveLength(20);
  });

  test('pruning forgets the errors of the jobs it forgets, and of no others', async () => {
    await bench.work([
      jobHandler(flaky, () => {
        throw new UnrecoverableJobError('never');
      }),
      throwing(() => 'later', stubborn),
    ]);
    const gone = await bench.queue.enqueue(flaky);
    await bench.untilJobIs(gone.id, 'failed');
    bench.clock.advance('2h');
    const [recent, live] = [await bench.queue.enqueue(flaky), await bench.queue.enqueue(stubborn)];
    await bench.untilJobIs(recent.id, 'failed');
    await bench.untilJobIs(live.id, 'scheduled');
    expect(await bench.queue.prune('1h')).toBe(1);
    const left = (await bench.rows(TableQueueErrorRow)).map(({ jobId }) => jobId);
    expect(left.sort()).toEqual([recent.id, live.id].sort());
  });

  test('an attempt that lost its job stores no error', async () => {
    const first = heldHandler(flaky);
    const second = heldHandler(flaky);
    const lost: string[] = [];
    const firstWorker = await bench.work([first.handler]);
    firstWorker.events.on('lost', ({ id }) => lost.push(id));
    const { id } = await bench.queue.enqueue(flaky);
    await waitFor('the first worker runs it', () => first.runs.length === 1);
    await firstWorker.stopClaiming();
    bench.clock.advance('31s');
    const secondWorker = await bench.work([second.handler]);
    await secondWorker.reaper.runOnce();
    await waitFor('the second worker runs it', () => second.runs.length === 1);
    first.runs[0]!.fail(new Error('from the dead'));
    await waitFor('it reports that it lost the job', () => lost.length === 1);
    expect(await bench.rows(TableQueueErrorRow)).toEqual([]);
    second.runs[0]!.fail(new Error('from the living'));
    const { errors } = await bench.untilJobIs(id, 'scheduled');
    expect(errors).toMatchObject([{ attempt: 2 }]);
  });

  test('a job that succeeds writes no error', async () => {
    await bench.work([jobHandler(flaky, () => undefined)]);
    const { id } = await bench.queue.enqueue(flaky);
    expect((await bench.untilJobIs(id, 'succeeded')).errors).toEqual([]);
  });
});

describeEach('snoozing', (engine) => {
  const bench = useWorkbench(engine);

  test.each([
    [
      'throws',
      () => {
        throw new SnoozeJobError('2h');
      },
    ],
    ['rejects with', () => Promise.reject(new SnoozeJobError('2h'))],
  ])('a job whose handler %s a SnoozeJobError runs again later without a failure', async (_what, snooze) => {
    const once = defineJob('once', { retry: { attempts: 1 } });
    const snoozed: [string, number][] = [];
    const worker = await bench.work([jobHandler(once, (_payload, { attempt }) => (attempt <= 3 ? snooze() : attempt))]);
    worker.events.on('snoozed', (job, delay) => snoozed.push([job.id, delay]));
    const { id } = await bench.queue.enqueue(once);
    for (let times = 1; times <= 3; times++) {
      await waitFor('it is snoozed', () => snoozed.length === times);
      const job = await bench.queue.find(id);
      expect(job).toMatchObject({ state: 'scheduled', attempt: times, failures: 0, error: undefined, errors: [] });
      expect(job!.runAt.getTime() - job!.claimedAt!.getTime()).toBeGreaterThanOrEqual(120 * MINUTE);
      bench.clock.advance('2h');
    }
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 4, failures: 0, result: 4 });
    expect(snoozed).toEqual(Array.from({ length: 3 }, () => [id, 120 * MINUTE]));
  });

  test('attempts that end together are stored together, each with its own wait and error', async () => {
    const numbered = defineJob<number>('numbered', { retry: { backoff: fixed('1h') } });
    const stored = await bench.queue.enqueueMany(
      numbered,
      Array.from({ length: 250 }, (_, payload) => ({ payload })),
    );
    const handler = jobHandler(numbered, (number) => {
      throw number % 2 === 0 ? new SnoozeJobError(`${number + 2}h`) : new Error(`broken ${number}`);
    });
    const worker = bench.worker([handler], { concurrency: 250 });
    const sent = await statementsOf({ engine: worker['engine'] } as never, async () => {
      await worker.start();
      await waitFor('all wait', async () => (await bench.queue.counts())[0]?.scheduled.count === 250);
    });
    expect(sent.filter(({ sql }) => sql.includes("SET state = 'scheduled'")).length).toBeLessThan(50);
    for (const [number, { id }] of stored.entries()) {
      const job = await bench.queue.find(id);
      const isSnoozed = number % 2 === 0;
      const hours = Math.round((job!.runAt.getTime() - job!.claimedAt!.getTime()) / (60 * MINUTE));
      expect([hours, job!.failures]).toEqual(isSnoozed ? [number + 2, 0] : [1, 1]);
      expect(job!.error?.split('\n', 1)[0]).toBe(isSnoozed ? undefined : `Error: broken ${number}`);
    }
  });

  test('an earlier error stays', async () => {
    const worker = await bench.work([
      jobHandler(flaky, (_payload, { attempt }) => {
        throw attempt === 1 ? new Error('broken') : new SnoozeJobError('1h');
      }),
    ]);
    const snoozed = new Promise((resolve) => worker.events.once('snoozed', resolve));
    const { id } = await bench.queue.enqueue(flaky);
    await bench.untilJobIs(id, 'scheduled');
    bench.clock.advance('1h');
    await snoozed;
    const job = await bench.queue.find(id);
    expect(job).toMatchObject({ attempt: 2, failures: 1, errors: [{ attempt: 1 }] });
    expect(job!.error).toContain('broken');
  });

  test('a cancelled job is not snoozed', async () => {
    let snooze = (): void => undefined;
    await bench.work([
      jobHandler(flaky, (_payload, { signal }) => {
        return new Promise((_resolve, reject) => {
          snooze = () => reject(new SnoozeJobError('1h'));
          signal.addEventListener('abort', snooze);
        });
      }),
    ]);
    const { id } = await bench.queue.enqueue(flaky);
    await bench.untilJobIs(id, 'running');
    await bench.queue.cancel(id);
    await bench.untilJobIs(id, 'cancelled');
  });

  test('an invalid delay fails the attempt with the reason', async () => {
    await bench.work([
      jobHandler(flaky, () => {
        throw new SnoozeJobError('soon' as '1s');
      }),
    ]);
    const { id } = await bench.queue.enqueue(flaky);
    const job = await bench.untilJobIs(id, 'scheduled');
    expect(job).toMatchObject({ failures: 1 });
    expect(job.error).toContain(`"delay" is 'soon', but must be a duration of at least 1 ms`);
    expect(() => new SnoozeJobError(0)).toThrow(/"delay" is 0/);
  });
});

import { expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  UnknownOptionError,
  UnrecoverableJobError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<{ error: string }>('mail', { queue: 'mail' });
const text = defineJob<{ error: string }>('text', { queue: 'text' });

describeEach('failed jobs by error', (engine) => {
  const bench = useWorkbench(engine);

  const fail = async (job: typeof mail, ...errors: readonly string[]) => {
    const handler = ({ error }: { error: string }) => {
      throw new UnrecoverableJobError(error);
    };
    const ids: string[] = [];
    const worker = await bench.work([jobHandler(mail, handler), jobHandler(text, handler)]);
    for (const error of errors) {
      ids.push((await bench.queue.enqueue(job, { error })).id);
      await bench.untilJobIs(ids.at(-1)!, 'failed');
    }
    await worker.stop();
    return ids;
  };

  test('are counted, listed and retried by error', async () => {
    expect(await bench.queue.failed.errors()).toMatchObject({ errors: [], examined: 0, isComplete: true });
    const [first, second] = await fail(mail, 'order 1 is gone', 'order 22 is gone', 'no "paper"');
    const [third] = await fail(text, 'order 3 is gone');
    const failed = await bench.queue.failed.errors();
    expect(failed).toMatchObject({ examined: 4, isComplete: true, encoded: 0, omitted: { errors: 0, jobs: 0 } });
    const [gone, paper] = failed.errors;
    expect(gone).toEqual({
      fingerprint: expect.stringMatching(/^[\da-f]{16}$/),
      title: 'UnrecoverableJobError: order <number> is gone',
      count: 3,
      firstAt: (await bench.queue.find(first!))?.finishedAt,
      lastAt: (await bench.queue.find(third!))?.finishedAt,
      queues: ['mail', 'text'],
      names: ['mail', 'text'],
      payloadVersions: [1],
      exampleId: third,
      mutedUntil: undefined,
    });
    expect(failed.since).toEqual(gone?.firstAt);
    expect(paper).toMatchObject({ title: 'UnrecoverableJobError: no <value>', count: 1 });
    const few = await bench.queue.failed.errors({ limit: 1, queue: 'mail' });
    expect(few).toMatchObject({ errors: [{ count: 2, exampleId: second }], omitted: { errors: 1, jobs: 1 } });

    const filter = { state: 'failed', errorFingerprint: gone!.fingerprint } as const;
    const { jobs } = await bench.queue.jobs.list({ ...filter, queue: 'mail' });
    expect(jobs.map(({ id }) => id)).toEqual([second, first]);
    expect(await bench.queue.jobs.preview('retry', filter)).toEqual({ count: 3, isCapped: false });
    const { id } = await bench.queue.bulk.start({ action: 'retry', filter });
    bench.clock.advance('1s');
    // Not part of the operation: it failed after the start.
    await fail(mail, 'order 4 is gone');
    expect(await bench.queue.bulk.run(id)).toMatchObject({ state: 'done', total: 3, changed: 3, filter });
    const left = await bench.queue.failed.errors();
    expect(left.errors.map(({ title, count }) => [title, count])).toEqual([
      [gone?.title, 1],
      [paper?.title, 1],
    ]);
  });

  test('a muted error is listed last, until its time', async () => {
    await fail(mail, 'order 1 is gone', 'order 2 is gone', 'no "paper"');
    const { failed } = bench.queue;
    const titles = async (limit = 100) => (await failed.errors({ limit })).errors.map(({ title }) => title);
    const [gone, paper] = (await failed.errors()).errors.map(({ fingerprint }) => fingerprint);
    await failed.mute(gone!, '1h');
    bench.clock.advance('1m');
    const until = await failed.mute(gone!, '2h', { by: 'ada' });
    expect(await titles()).toEqual([
      'UnrecoverableJobError: no <value>',
      'UnrecoverableJobError: order <number> is gone',
    ]);
    expect(await titles(1)).toEqual(['UnrecoverableJobError: no <value>']);
    expect((await failed.errors()).errors.map(({ mutedUntil }) => mutedUntil)).toEqual([undefined, until]);
    expect(await bench.queue.jobs.preview('retry', { state: 'failed' })).toEqual({ count: 3, isCapped: false });

    bench.clock.advance('2h');
    expect((await failed.errors()).errors.map(({ mutedUntil }) => mutedUntil)).toEqual([undefined, undefined]);
    expect(await failed.unmute(gone!)).toBe(false);
    await failed.mute(paper!, '90d', { by: null });
    const rows: unknown[] = await bench.dataSource.query('SELECT fingerprint FROM tq_muted_error');
    expect(rows).toEqual([{ fingerprint: paper }]);
    expect(await failed.unmute(paper!, { by: 'bob' })).toBe(true);
    expect(await failed.unmute(paper!, { by: 'bob' })).toBe(false);
    const { entries } = await bench.queue.activity.audit();
    expect(entries.map(({ who, action, target, detail, changed }) => [who, action, target, detail, changed])).toEqual([
      ['bob', 'unmute', `error ${paper}`, undefined, 0],
      ['bob', 'unmute', `error ${paper}`, undefined, 1],
      [undefined, 'mute', `error ${paper}`, { duration: '90d' }, 1],
      ['ada', 'mute', `error ${gone}`, { duration: '2h' }, 1],
    ]);
  });

  test('wrong options are refused', async () => {
    for (const limit of [0, 1_001, '5']) {
      await expect(bench.queue.failed.errors({ limit: limit as number })).rejects.toThrow(InvalidOptionError);
    }
    await expect(bench.queue.failed.errors({ since: 1 } as object)).rejects.toThrow(UnknownOptionError);
    const wrong = bench.queue.jobs.list({ state: 'failed', errorFingerprint: 'order 1' });
    await expect(wrong).rejects.toThrow(/errorFingerprint/);
    const { failed } = bench.queue;
    await expect(failed.mute('order 1', '1h')).rejects.toThrow(/fingerprint/);
    await expect(failed.unmute(['0123456789abcdef'] as never)).rejects.toThrow(InvalidOptionError);
    for (const duration of [0, '91d'] as const) {
      await expect(failed.mute('0123456789abcdef', duration)).rejects.toThrow(/duration/);
    }
  });
});

// On SQLite only: the engine does not decide how far it looks.
describeEach(
  'many failed jobs by error',
  (engine) => {
    const bench = useWorkbench(engine);

    test('only the latest are examined', async () => {
      const plain = defineJob('plain');
      await finishedJobs(bench, plain, 500, 'failed', false);
      bench.clock.advance('1h');
      const latest = await finishedJobs(bench, plain, 10_000, 'failed', false);
      // It also has a limit of time, which ends a read earlier on a busy machine.
      const { errors, ...rest } = await waitFor('as many as possible are examined', async () => {
        const found = await bench.queue.failed.errors();
        return found.examined >= 10_000 && found;
      });
      const since = (await bench.queue.find(latest[0]!))?.finishedAt;
      expect(rest).toMatchObject({ examined: 10_000, isComplete: false, since });
      expect(errors).toMatchObject([{ title: 'Error: failed', count: 10_000, firstAt: since, lastAt: since }]);
    });
  },
  ['sqlite'],
);

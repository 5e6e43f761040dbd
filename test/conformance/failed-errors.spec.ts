import { expect, test } from '@jest/globals';
import { InvalidOptionError, UnknownOptionError, UnrecoverableJobError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

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
      exampleId: third,
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

  test('wrong options are refused', async () => {
    for (const limit of [0, 1_001, '5']) {
      await expect(bench.queue.failed.errors({ limit: limit as number })).rejects.toThrow(InvalidOptionError);
    }
    await expect(bench.queue.failed.errors({ since: 1 } as object)).rejects.toThrow(UnknownOptionError);
    const wrong = bench.queue.jobs.list({ state: 'failed', errorFingerprint: 'order 1' });
    await expect(wrong).rejects.toThrow(/errorFingerprint/);
  });
});

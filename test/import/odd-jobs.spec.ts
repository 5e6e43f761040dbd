import { once } from 'node:events';

import { expect, test } from '@jest/globals';
import { TableQueueJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { importAsJson, runImport } from './import-command.js';
import { type Release, useBullRedis } from './peers.js';

const RELEASES: readonly Release[] = ['bull', 'bullmq4', 'bullmq5', 'bullmq'];

describeEach('import of odd jobs', (engine) => {
  const bull = useBullRedis();
  const bench = useWorkbench(engine, { isolation: 'database' });
  const imported = (...args: string[]) => importAsJson(bull, bench.database, args);
  const jobs = () => bench.dataSource.getRepository(TableQueueJob).find({ order: { position: 'ASC' } });

  test.each(RELEASES)('%s: failed jobs keep their error and their attempts, and can be retried', async (release) => {
    const mail = bull.queue(release, 'mail');
    const fail = () => {
      throw new Error('no such address');
    };
    await mail.add('send', { number: 1 }, { attempts: 2, backoff: 1 });
    if (release === 'bull') {
      const failed = once(mail as never, 'failed');
      (mail as unknown as { process(name: string, work: () => void): void }).process('send', fail);
      await failed;
    } else {
      bull.worker(release, 'mail', fail);
    }
    await waitFor('it has failed', async () => (await bull.redis.keys('bull:mail:failed')).length === 1);
    await imported('--move');
    const [job] = await jobs();
    expect(job).toMatchObject({ state: 'failed', attempt: 2, failures: 2, name: 'send' });
    expect(job?.lastError).toMatch(/no such address[\s\S]*\(failed in Bull at \d{4}-/);
    expect(await bull.redis.keys('bull:mail:failed')).toEqual([]);
    expect(await bench.queue.failed.retry(job?.id ?? '')).toBeTruthy();
    expect(await jobs()).toMatchObject([{ state: 'ready', failures: 0 }]);
  });

  test('what does not map stays in Redis, with the reason', async () => {
    const mail = bull.queue('bullmq', 'mail');
    await mail.pause();
    await mail.add('odd name\n', {});
    await mail.add('-odd', {});
    await mail.add('send', { number: 3 });
    await bull.redis.hset('bull:mail:3', 'data', '{"secret": nonsense}');
    await mail.add('send', { number: 4 });
    await bull.redis.hset('bull:mail:4', 'opts', '[]');
    await mail.add('send', { text: 'x'.repeat(1_000_000) }, { priority: 2 ** 21 - 1 });
    await mail.add('send', {}, { delay: 9e12 });
    const other = bull.queue('bullmq', 'with spaces');
    await other.add('send', {});
    await other.pause();
    const found = await imported('--move', '--rename', '-odd=odd');
    expect(found.refusals.map(({ text, examples }) => `${examples.join()} ${text}`)).toEqual([
      expect.stringMatching(/^mail:1 its name "odd name\\n" is not allowed here: .* --rename/),
      expect.stringMatching(/^mail:3 its payload is not valid JSON\. Remove the job, or repair the field "data"/),
      expect.stringMatching(/^mail:4 its options are not a JSON object\./),
      expect.stringMatching(/^mail:6 it is due after the year 2286/),
      expect.stringMatching(/^with spaces:1 the name of its queue, "with spaces", is not allowed here/),
    ]);
    expect(JSON.stringify(found)).not.toContain('nonsense');
    const stored = await jobs();
    expect(stored.map(({ name, priority, payload }) => [name, priority, payload?.length])).toEqual([
      ['odd', 0, 2],
      ['send', 500, 1_000_011],
    ]);
    expect(await bull.redis.llen('bull:mail:wait')).toBe(3);
    expect((await bull.redis.keys('bull:*:tablequeue-import*')).length).toBe(0);
  });

  test('texts arrive exactly, and a name of Bull without one is that of the queue', async () => {
    const payload = { text: "😀 ' \\ \0 \n \u2028 codec:x, 100%", big: 1e21, nested: [[], {}, null] };
    const mail = bull.queue('bull', 'mail') as unknown as { add(data: unknown, options?: object): Promise<unknown> };
    await mail.add(payload);
    await imported('--move');
    const [job] = await jobs();
    expect(job?.name).toBe('mail');
    expect(JSON.parse(job?.payload ?? '')).toEqual(payload);
  });

  test('a copy refuses queues that run or have active jobs; a move leaves active jobs to Bull', async () => {
    const mail = bull.queue('bullmq', 'mail');
    await mail.add('send', { number: 1 });
    await mail.add('send', { number: 2 });
    expect(await runImport(bull, bench.database, ['--copy'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('The queue "mail" is not paused.'),
    });
    await mail.pause();
    // As after the death of a worker: it is active, and its lock has expired.
    await bull.redis.lrem('bull:mail:wait', 1, '1');
    await bull.redis.lpush('bull:mail:active', '1');
    expect(await runImport(bull, bench.database, ['--copy'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('has 1 active jobs, 1 of them stalled'),
    });
    await imported('--move');
    expect(await jobs()).toMatchObject([{ payload: '{"number":2}' }]);
    expect(await bull.redis.keys('bull:mail:1')).toEqual(['bull:mail:1']);
  });

  test('a custom id that is used again after its job was moved is another job', async () => {
    const mail = bull.queue('bullmq', 'mail');
    await mail.add('send', { number: 1 }, { jobId: 'order-1', deduplication: { id: 'once' } });
    await imported('--move');
    await mail.add('send', { number: 2 }, { jobId: 'order-1', deduplication: { id: 'once' } });
    await imported('--move');
    expect((await jobs()).map(({ payload }) => payload)).toEqual(['{"number":1}', '{"number":2}']);
  });

  test('another prefix, wrong options, and forget', async () => {
    const mail = bull.queue('bullmq', 'mail', { prefix: '{shop}' });
    await mail.add('send', {});
    const inWrongPlace = await runImport(bull, bench.database, []);
    expect(inWrongPlace).toMatchObject({ code: 2, err: expect.stringContaining('no queue with the prefix "bull"') });
    expect(await runImport(bull, bench.database, ['--redis-prefix', '{shop}', '--queue', 'male'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no queue "male" with the prefix "{shop}"'),
    });
    await imported('--redis-prefix', '{shop}', '--move');
    expect(await jobs()).toHaveLength(1);
    const { code } = await runImport(bull, bench.database, ['--redis', 'redis://:secret@127.0.0.1:1']);
    expect(code).toBe(1);
  });
});

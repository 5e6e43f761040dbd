import { expect, test } from '@jest/globals';
import { TableQueueJob, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { importAsJson } from './import-command.js';
import { type Release, useBullRedis } from './peers.js';

const RELEASES: readonly Release[] = ['bullmq4', 'bullmq5', 'bullmq'];

const FLOW = {
  name: 'publish',
  queueName: 'albums',
  children: [
    { name: 'resize', queueName: 'images', data: { width: 1 } },
    {
      name: 'collect',
      queueName: 'albums',
      children: [{ name: 'resize', queueName: 'images', data: { width: 2 }, opts: { delay: 10 } }],
    },
  ],
};

const publish = defineJob('publish', { queue: 'albums' });
const collect = defineJob('collect', { queue: 'albums' });
const resize = defineJob<{ width: number }>('resize', { queue: 'images', retry: { attempts: 1 } });

describeEach('import of flows', (engine) => {
  const bull = useBullRedis();
  const bench = useWorkbench(engine, { isolation: 'database' });
  const imported = (...args: string[]) => importAsJson(bull, bench.database, args);
  const count = () => bench.dataSource.getRepository(TableQueueJob).count();

  test.each(RELEASES)('%s: parents run after their children, also of other queues', async (release) => {
    await bull.flows(release).add(FLOW);
    const found = await imported('--move');
    expect(found.refusals).toEqual([]);
    expect(await count()).toBe(4);
    expect((await bull.redis.keys('bull:*')).filter((key) => !/:(meta|id|events|marker|pc)$/.test(key))).toEqual([]);
    const order: string[] = [];
    await bench.work([
      jobHandler(resize, ({ width }) => void order.push(`resize ${width}`)),
      jobHandler(collect, () => void order.push('collect')),
      jobHandler(publish, () => void order.push('publish')),
    ]);
    await waitFor('all have run', () => Promise.resolve(order.length === 4));
    expect(order.at(-1)).toBe('publish');
    expect(order.indexOf('collect')).toBeGreaterThan(order.indexOf('resize 2'));
  });

  test('a flow stays as a whole if one of its jobs does', async () => {
    await bull.flows('bullmq').add(FLOW);
    const before = await bull.picture();
    const withoutImages = await imported('--move', '--queue', 'albums');
    expect(withoutImages.refusals).toMatchObject([
      { text: expect.stringMatching(/not part of this import\. Add that queue/) },
    ]);
    const withoutAlbums = await imported('--move', '--queue', 'images');
    expect(withoutAlbums.refusals[0]).toMatchObject({ text: expect.stringMatching(/its parent .* waits for it/) });
    const [image = ''] = (await bull.redis.keys('bull:images:*-*')).sort();
    const { data = '' } = await bull.redis.hgetall(image);
    await bull.redis.hset(image, 'data', '{');
    const broken = await imported('--move');
    expect(broken.refusals).toMatchObject([
      { text: expect.stringMatching(/^a job of its flow cannot be moved: its payload/), count: 4 },
    ]);
    await bull.redis.hset(image, 'data', data);
    expect(await bull.picture()).toEqual(before);
    expect(await count()).toBe(0);
  });

  test('the child of a removed parent is a job of its own', async () => {
    const { job } = await bull.flows('bullmq').add({ ...FLOW, children: FLOW.children.slice(0, 1) });
    await bull.redis.del(`bull:albums:${job.id}`, `bull:albums:${job.id}:dependencies`);
    const found = await imported('--move', '--queue', 'images');
    expect(found.notes).toMatchObject([{ text: expect.stringContaining('its parent was removed') }]);
    expect(await count()).toBe(1);
  });

  test('children that a parent may lose become a group with onComplete', async () => {
    const child = { ...FLOW.children[0], opts: { ignoreDependencyOnFailure: true } };
    await bull.flows('bullmq').add({ ...FLOW, children: [child] });
    await imported('--move');
    const ran: string[] = [];
    await bench.work([
      jobHandler(resize, () => {
        throw new Error('no image');
      }),
      jobHandler(publish, () => void ran.push('publish')),
    ]);
    await waitFor('the parent has run', () => Promise.resolve(ran.length === 1));
  });
});

import { expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const work = defineJob<string>('work');

describeEach('a payload that other SQL has changed to something that is not JSON', (engine) => {
  const bench = useWorkbench(engine);

  test('is returned as text, and fails its job without a retry', async () => {
    const { id } = await bench.queue.enqueue(work, 'a text');
    const good = await bench.queue.enqueue(work, 'another');
    await bench.dataSource.query(`UPDATE tq_job SET payload = '{' WHERE payload = '"a text"'`);
    expect(await bench.queue.find(id)).toMatchObject({ id, payload: '{' });
    await bench.work([jobHandler(work, () => undefined)]);
    await bench.untilJobIs(good.id, 'succeeded');
    const [failed] = (await bench.queue.failed.list()).jobs;
    expect(failed).toMatchObject({ id, payload: '{', failures: 1, error: expect.stringContaining('it is not JSON') });
  });
});

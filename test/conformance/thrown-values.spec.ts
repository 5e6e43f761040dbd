import { expect, test } from '@jest/globals';
import { batchHandler, defineJob, jobHandler, transactionalHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

/** @returns a value that throws at each use. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function throwRevoked(): never {
  throw revoked();
}

describeEach('a handler that throws a revoked proxy fails like any other', (engine) => {
  const bench = useWorkbench(engine);
  const retry = { attempts: 1 };
  const bad = defineJob('bad', { retry });
  const good = defineJob('good', { retry });

  test.each([
    ['synchronously', () => jobHandler(bad, throwRevoked)],
    ['asynchronously', () => jobHandler(bad, async () => Promise.reject(revoked()))],
    ['in a transaction', () => transactionalHandler(bad, async () => throwRevoked())],
    ['in a batch', () => batchHandler(bad, async () => throwRevoked())],
    ['for one job of a batch', () => batchHandler(bad, ([job]) => job!.fail(revoked()))],
  ])('%s', async (_how, handler) => {
    const worker = await bench.work([handler(), jobHandler(good, () => 'done')]);
    worker.events.on('failed', throwRevoked);
    const { id } = await bench.queue.enqueue(bad);
    const job = await bench.untilJobIs(id, 'failed');
    expect(job.error).toContain('A value that is no Error');
    const next = await bench.queue.enqueue(good);
    expect(await bench.untilJobIs(next.id, 'succeeded')).toMatchObject({ result: 'done' });
  });
});

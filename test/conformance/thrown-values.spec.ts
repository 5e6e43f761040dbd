import { expect, test } from '@jest/globals';
import { batchHandler, defineJob, fixed, jobHandler, transactionalHandler } from '@tablequeue/typeorm';

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

describeEach('an error whose properties throw', (engine) => {
  const bench = useWorkbench(engine);
  const bad = defineJob('bad', { retry: { attempts: 1 } });

  test.each(['name', 'code', 'message', 'stack'])(
    'a step retries an error whose %s cannot be read',
    async (property) => {
      const unreadable = new Error('unreadable');
      Object.defineProperty(unreadable, property, {
        get() {
          throw new Error('no');
        },
      });
      let calls = 0;
      await bench.work([
        jobHandler(bad, async (_payload, { step }) => {
          await step(
            'one',
            () => {
              calls++;
              throw unreadable;
            },
            { retry: { attempts: 3, backoff: fixed(0) } },
          );
        }),
      ]);
      const { id } = await bench.queue.enqueue(bad);
      expect((await bench.untilJobIs(id, 'failed')).error).toContain('The step "one" failed for good after 3 tries');
      expect(calls).toBe(3);
    },
  );
});

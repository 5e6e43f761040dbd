import { expect, test } from '@jest/globals';
import { TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const job = defineJob('late');

describeEach('a worker that has stopped', (engine) => {
  const bench = useWorkbench(engine);

  test('logs nothing of a handler that ends later', async () => {
    let end: ((result: unknown) => void) | undefined;
    const handler = jobHandler(job, () => new Promise((resolve) => (end = resolve)));
    const { logger } = bench;
    const worker = new TableQueueWorker(bench.queue, [handler], { logger, pollInterval: '20ms', shutdownTimeout: 20 });
    await worker.start();
    await bench.queue.enqueue(job);
    await waitFor('it runs', () => end);
    await worker.stop();
    const before = [...logger.lines];
    // A result that cannot be stored is a warning, as long as the worker runs.
    end!(10n);
    await new Promise((resolve) => setImmediate(resolve));
    expect(logger.lines).toEqual(before);
  });
});

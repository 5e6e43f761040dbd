import { expect, test } from '@jest/globals';
import { UnknownOptionError, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const bill = defineJob('bill', { queue: 'bill' });

describeEach('sharing capacity between queues', (engine) => {
  const bench = useWorkbench(engine);

  const fill = async (count: number) => {
    for (const definition of [mail, bill]) {
      await bench.queue.enqueueMany(
        definition,
        Array.from({ length: count }, () => ({})),
      );
    }
  };

  test('queues with more jobs than slots share the slots by weight', async () => {
    await fill(300);
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const handlers = [mail, bill].map((definition) =>
      jobHandler(definition, async (_payload, { queue }) => {
        order.push(queue);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
      }),
    );
    const queues = { mail: { weight: 3 } };
    // So many that no queue waits for its outcomes to be stored: only weights and the total decide.
    await bench.work(handlers, { totalConcurrency: 8, concurrency: 300, queues });
    await waitFor('many have run', () => order.length >= 200);
    const mails = order.slice(0, 200).filter((queue) => queue === 'mail').length;
    expect(mails).toBeGreaterThan(130);
    expect(mails).toBeLessThan(170);
    expect(most).toBeLessThanOrEqual(8);
    await waitFor('all have run', () => order.length === 600);
  });

  test('a queue gets all of it while the others have nothing to do, and no more than its own limit', async () => {
    await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 20 }, () => ({})),
    );
    const { runs, handler } = heldHandler(mail);
    const others = heldHandler(bill);
    const queues = { bill: { concurrency: 2 } };
    // Jobs that still run at the end are returned at once.
    await bench.work([handler, others.handler], { totalConcurrency: 6, queues, shutdownTimeout: 0 });
    await waitFor('all slots are taken', () => runs.length === 6);
    await bench.queue.enqueueMany(
      bill,
      Array.from({ length: 20 }, () => ({})),
    );
    runs.splice(0).forEach(({ end }) => end());
    await waitFor('it is shared', () => runs.length + others.runs.length === 6);
    expect(others.runs).toHaveLength(2);
    [...runs, ...others.runs].forEach(({ end }) => end());
    await waitFor('others have their turn', () => others.runs.length === 4);
  });

  test('bad input is refused by name', () => {
    expect(() => bench.worker([], { totalConcurrency: 0 })).toThrow(/"totalConcurrency" is 0/);
    expect(() => bench.worker([], { queues: { mail: { weight: 1.5 } } })).toThrow(/"queues.mail.weight" is 1.5/);
    expect(() => bench.worker([], { queues: { mail: { share: 1 } as never } })).toThrow(UnknownOptionError);
  });
});

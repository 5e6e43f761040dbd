import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

interface Entry {
  readonly key: string;
  readonly number: number;
}

/** How many jobs are enqueued while the head of their key ends. */
const JOBS = Number(process.env.TABLEQUEUE_ORDERED ?? 1_500);
/** How long the test may take, in ms. */
const PATIENCE = 60_000 + 120 * JOBS;
const KEYS = 12;

const entry = defineJob<Entry>('entry', {
  order: { by: ({ key }) => key },
  retry: { attempts: 4, backoff: () => 0 },
});

describeEach('enqueues of ordered jobs against the ends of their heads', (engine) => {
  const bench = useWorkbench(engine);

  test(
    'keep the order of each key, run one at a time, and lose no job',
    async () => {
      // Without the reaper: each key that is not advanced is blocked.
      let time = 0;
      const called: number[] = [];
      const committed: number[] = [];
      const ended: { readonly key: string; readonly number: number }[] = [];
      const open = new Map<string, number>();
      const handler = jobHandler(entry, async ({ key, number }) => {
        // Also while a job waits for its retry, no other of its key starts.
        expect(open.get(key) ?? number).toBe(number);
        open.set(key, number);
        await sleep(Math.random() * 3);
        if (Math.random() < 0.05) {
          throw new Error('once more');
        }
        open.delete(key);
        ended.push({ key, number });
      });
      const application = await bench.database.connect();
      const other = new TableQueue(application, { clock: bench.clock });
      await bench.work([handler], { concurrency: 20 });
      const beside = new TableQueueWorker(other, [handler], {
        concurrency: 20,
        logger: bench.logger,
        maintenance: false,
        pollInterval: '50ms',
      });
      await beside.start();

      let next = 0;
      const send = async () => {
        for (let number = next++; number < JOBS; number = next++) {
          const payload = { key: `key ${number % KEYS}`, number };
          called[number] = time++;
          const kind = Math.random();
          if (kind < 0.3) {
            await other.enqueue(entry, payload);
          } else if (kind < 0.6) {
            await bench.queue.enqueueMany(entry, [{ payload }]);
          } else {
            await application.transaction(async (manager) => {
              // At REPEATABLE READ, the default, the transaction sees from here on what is there now.
              await manager.query('SELECT COUNT(*) FROM tq_ordered');
              await other.enqueue(entry, payload, { manager });
              await sleep(Math.random() * 4);
            });
          }
          committed[number] = time++;
          await sleep(Math.random() * 6);
        }
      };
      await Promise.all(Array.from({ length: engine === 'sqlite' ? 1 : 8 }, send));
      await bench.waitUntilFinished(JOBS);
      await beside.stop();

      expect(ended.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
        Array.from({ length: JOBS }, (_, i) => i),
      );
      const overtaken: string[] = [];
      const earliest = new Map<string, number>();
      for (const { key, number } of ended.toReversed()) {
        if ((earliest.get(key) ?? Infinity) < called[number]!) {
          overtaken.push(`${key}: ${number}`);
        }
        earliest.set(key, Math.min(earliest.get(key) ?? Infinity, committed[number]!));
      }
      expect(overtaken).toEqual([]);
      const [row] = await bench.dataSource.query('SELECT COUNT(*) AS count FROM tq_ordered');
      expect(Number((row as { count: number | string }).count)).toBe(0);
      expect(bench.logger.lines.filter((line) => !line.includes('once more'))).toEqual([]);
      await application.destroy();
    },
    PATIENCE,
  );
});

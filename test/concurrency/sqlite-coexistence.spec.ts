import { setTimeout as sleep } from 'node:timers/promises';

import { expect, jest, test } from '@jest/globals';
import { DatabaseBusyError, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { idleJob } from '../support/jobs.js';
import { Note } from '../support/note.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const JOBS = 300;
const TRANSACTIONS = 100;

describeEach(
  'an application and a worker on one SQLite file',
  (engine) => {
    const bench = useWorkbench(engine, { isolation: 'database' });

    async function enqueueAll(): Promise<void> {
      await bench.queue.enqueueMany(
        idleJob,
        Array.from({ length: JOBS }, (_, payload) => ({ payload })),
      );
    }

    /** One transaction after another, each reading, waiting for something else, writing, and enqueueing. */
    async function runTransactions(): Promise<void> {
      for (let number = 0; number < TRANSACTIONS; number++) {
        await bench.dataSource.transaction(async (manager) => {
          const notes = await manager.count(Note);
          await sleep(1);
          await manager.insert(Note, { id: notes + 1, text: 'from a transaction' });
          await bench.queue.enqueue(idleJob, number, { manager });
        });
      }
    }

    /** All of both have come to their end, and none of the jobs needed a second attempt. */
    async function expectAllDone(): Promise<void> {
      await waitFor('all jobs have run', () => bench.isEmpty());
      const finished = await bench.finishedJobs();
      expect(finished).toHaveLength(JOBS + TRANSACTIONS);
      expect(finished.every(({ state, attempt }) => state === 'succeeded' && attempt === 1)).toBe(true);
      expect(await bench.rows(Note)).toHaveLength(TRANSACTIONS);
    }

    test('in one process: neither fails because of the other, and neither starves', async () => {
      await enqueueAll();
      await bench.work([jobHandler(idleJob, () => undefined)]);
      await runTransactions();
      await expectAllDone();
      expect(bench.logger.lines).toEqual([]);
    });

    test.each([
      ['with the rollback journal', 'DELETE'],
      ['in WAL mode', 'WAL'],
    ])('in two processes, %s', async (_name, mode) => {
      await bench.dataSource.query(`PRAGMA journal_mode = ${mode}`);
      await enqueueAll();
      const worker = await bench.startProcess({ pollInterval: '10ms' });
      await runTransactions();
      await expectAllDone();
      await worker.child.end('SIGTERM');
      expect(worker.child.output).toBe('');
    });

    test('an enqueue that waits for its own surrounding transaction fails with the reason', async () => {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      try {
        const stuck = bench.dataSource.transaction(async (manager) => {
          await manager.insert(Note, { id: 1, text: 'x' });
          await bench.queue.enqueue(idleJob, 1);
        });
        const outcome = stuck.catch((error: unknown) => error);
        await new Promise((resolve) => setImmediate(resolve));
        await new Promise((resolve) => setImmediate(resolve));
        await jest.advanceTimersByTimeAsync(11_000);
        const refused = await outcome;
        expect(refused).toBeInstanceOf(DatabaseBusyError);
        expect(String(refused)).toMatch(/is inside that transaction, pass \{ manager \}/);
      } finally {
        jest.useRealTimers();
      }
      expect(await bench.rows(Note)).toEqual([]);
      expect(await bench.liveJobs()).toEqual([]);
    });
  },
  ['sqlite'],
);

import { expect, test } from '@jest/globals';
import { UnrecoverableJobError, defineJob, jobHandler, transactionalHandler } from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import { CHANGING_CALLS } from '../support/changing-calls.js';
import { commandUrl } from '../support/command-line.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { useWorkbench } from '../support/use-workbench.js';

const job = defineJob<number>('job');
const failing = defineJob('failing', { retry: { attempts: 1 } });
const followUp = defineJob<number>('follow-up');

/** MariaDB 11.8 refuses, by default, to lock a row that has changed since the transaction's first read. */
describeEach(
  'a transaction at REPEATABLE READ whose rows others have changed',
  (engine) => {
    const bench = useWorkbench(engine);

    /** Runs `change` beside a transaction after its first read, then the rest of the transaction. */
    async function afterChange<T>(change: () => Promise<unknown>, rest: (manager: EntityManager) => Promise<T>) {
      return bench.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await manager.query('SELECT COUNT(*) FROM tq_job');
        await change();
        const result = await rest(manager);
        await manager.insert(Note, { id: 1, text: 'committed' });
        return result;
      });
    }

    const aside = { outsideTransaction: true };

    async function expectCommitted(): Promise<void> {
      expect(await bench.rows(Note)).toHaveLength(1);
    }

    test.each(['return', 'replace'] as const)('enqueues a unique job: onConflict %s', async (onConflict) => {
      const unique = { key: 'one', while: 'unfinished', onConflict } as const;
      const first = await bench.queue.enqueue(job, 1, { unique, delay: '1h' });
      const second = await afterChange(
        () => bench.queue.enqueue(job, 2, { unique: { ...unique, onConflict: 'replace' }, ...aside, delay: '1h' }),
        (manager) => bench.queue.enqueue(job, 3, { unique, manager, delay: '1h' }),
      );
      expect(second).toEqual({ id: first.id, created: false, replaced: onConflict === 'replace' });
      await expectCommitted();
    });

    test('enqueues a unique job whose key was taken after the first read', async () => {
      let first: { id: string } | undefined;
      const second = await afterChange(
        async () => (first = await bench.queue.enqueue(job, 1, { unique: { key: 'one' }, ...aside })),
        (manager) => bench.queue.enqueue(job, 2, { unique: { key: 'one' }, manager }),
      );
      expect(second).toMatchObject({ id: first!.id, created: false });
      await expectCommitted();
    });

    test.each(['cancel', 'cancelByKey'] as const)('%s', async (call) => {
      const { id } = await bench.queue.enqueue(job, 1, { key: 'order:1' });
      const result = await afterChange<unknown>(
        () => bench.queue.jobs.changePriority(id, 7),
        (manager) => CHANGING_CALLS[call]!(bench.queue, { manager }, { id, key: 'order:1' }),
      );
      expect(result).toEqual(call === 'cancel' ? 'cancelled' : { cancelled: 1, requested: 0 });
      expect(await bench.queue.find(id)).toMatchObject({ state: 'cancelled' });
      await expectCommitted();
    });

    test('retries a failed job that another call has retried', async () => {
      const { id } = await bench.queue.enqueue(failing);
      await bench.work([
        jobHandler(failing, () => {
          throw new UnrecoverableJobError('no');
        }),
      ]);
      await bench.untilJobIs(id, 'failed');
      await bench.stopWorkers();
      const isRetried = await afterChange(
        () => bench.queue.failed.retry(id, aside),
        (manager) => bench.queue.failed.retry(id, { manager }),
      );
      expect(isRetried).toBe(false);
      expect(await bench.queue.find(id)).toMatchObject({ state: 'ready' });
      await expectCommitted();
    });

    test('a transactional handler enqueues a unique job', async () => {
      await bench.work([
        transactionalHandler(job, async (_payload, { manager }) => {
          await manager.query('SELECT COUNT(*) FROM tq_job');
          await bench.queue.enqueue(followUp, 1, {
            unique: { key: 'one', while: 'unfinished' },
            delay: '1h',
            ...aside,
          });
          await bench.queue.enqueue(followUp, 2, {
            unique: { key: 'one', while: 'unfinished', onConflict: 'replace' },
            manager,
          });
        }),
      ]);
      const { id } = await bench.queue.enqueue(job, 1);
      expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 1 });
    });

    test('cancelMany and cancelByKey outside a transaction always succeed beside enqueues and workers', async () => {
      await bench.work([jobHandler(job, () => undefined)], { concurrency: 20, pollInterval: '10ms' });
      const keys = ['a', 'b', 'c'];
      const outcomes = await Promise.all(
        [0, 1, 2, 3, 4, 5].map(async (caller) => {
          const failures: unknown[] = [];
          for (let round = 0; round < 25; round++) {
            const key = keys[(caller + round) % keys.length] as string;
            await bench.queue.enqueueMany(
              job,
              Array.from({ length: 5 }, (_, payload) => ({ payload, key })),
            );
            const cancelled = caller % 2 ? bench.queue.cancelByKey(key) : bench.queue.cancelMany({ queue: 'default' });
            await cancelled.catch((error: unknown) => failures.push(error));
          }
          return failures;
        }),
      );
      expect(outcomes.flat()).toEqual([]);
    });

    test('the doctor names the setting', async () => {
      const { by } = await doctor(commandUrl(bench.database));
      expect(by.isolation).toMatchObject({ status: 'ok' });
      const names = by.isolation?.found.includes('innodb_snapshot_isolation = ON');
      const [{ isOn }] = await bench.dataSource.query<[{ isOn: unknown }]>(
        'SELECT @@innodb_snapshot_isolation AS isOn',
      );
      expect(names).toBe(Number(isOn) === 1);
    });
  },
  ['mariadb', 'mariadb118'],
);

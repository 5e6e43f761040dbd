import { expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { idleJob } from '../support/jobs.js';
import { sessionsOf } from '../support/sessions.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const heldJob = defineJob('held');

describeEach(
  'a claim that waits for a unique key',
  (engine) => {
    const bench = useWorkbench(engine);

    const untilOneWaits = () =>
      waitFor('a claim waits', async () => {
        const sessions = await sessionsOf(bench.dataSource);
        return sessions.some(({ Info }) => /tq_unique.*FOR UPDATE/s.test(Info ?? ''));
      });

    test('makes no circle with the enqueue that replaces the job of a tenant', async () => {
      const unique = { key: 'one', while: 'unfinished' } as const;
      const { id } = await bench.queue.enqueue(idleJob, 1, { unique, tenant: 'a' });
      const ran: number[] = [];
      await bench.dataSource.transaction(async (manager) => {
        await bench.queue.enqueue(idleJob, 2, { unique, tenant: 'a', manager });
        await bench.work([jobHandler(idleJob, (job) => void ran.push(job))]);
        await untilOneWaits();
        const replacing = { unique: { ...unique, onConflict: 'replace' }, tenant: 'a', manager } as const;
        expect(await bench.queue.enqueue(idleJob, 3, replacing)).toMatchObject({ id, replaced: true });
      });
      await bench.untilJobIs(id, 'succeeded');
      expect(ran).toEqual([3]);
      expect(bench.logger.lines).toEqual([]);
    });

    test('does not claim a job that has moved to a tenant without capacity meanwhile', async () => {
      const { handler, runs } = heldHandler(heldJob);
      const ran: number[] = [];
      const idle = jobHandler(idleJob, (job) => void ran.push(job));
      await bench.queue.control.limit(idleJob.queue, { concurrencyPerTenant: 1 });
      await bench.queue.enqueue(heldJob, undefined, { tenant: 'a' });
      await bench.work([handler, idle], { concurrency: 1 });
      await waitFor('one of the tenant runs', () => runs.length === 1);
      const unique = { key: 'one', while: 'unfinished', onConflict: 'replace' } as const;
      const { id } = await bench.queue.enqueue(idleJob, 2, { unique });
      await bench.dataSource.transaction(async (manager) => {
        await bench.queue.enqueue(idleJob, 3, { unique, tenant: 'a', manager });
        await bench.work([idle]);
        await untilOneWaits();
      });
      const other = await bench.queue.enqueue(idleJob, 4);
      await bench.untilJobIs(other.id, 'succeeded');
      expect(ran).toEqual([4]);
      runs[0]!.end();
      await bench.untilJobIs(id, 'succeeded');
      expect(ran).toEqual([4, 3]);
    });
  },
  ['mysql56'],
);

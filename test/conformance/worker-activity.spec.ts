import { hostname } from 'node:os';

import { expect, test } from '@jest/globals';
import { InvalidOptionError, defineJob } from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { costlySteps } from '../support/plans.js';
import { statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const call = defineJob('call', { queue: 'partner' });

describeOnOlderToo('activity of workers', (engine) => {
  const bench = useWorkbench(engine);

  const workers = (options?: object) => bench.queue.activity.workers(options);

  test('lists each worker with its process, queues, lease and running jobs', async () => {
    expect(await workers()).toEqual([]);
    const mails = heldHandler(mail);
    const calls = heldHandler(call);
    const both = await bench.work([mails.handler, calls.handler], { queues: { mail: { concurrency: 3, weight: 3 } } });
    const jobs = [
      ...(await bench.queue.enqueueMany(mail, [{}, {}, {}])),
      await bench.queue.enqueue(call, undefined, { key: 'k' }),
    ];
    await waitFor('all run', () => mails.runs.length + calls.runs.length === 4);
    const [busy, ...others] = await workers();
    expect(others).toEqual([]);
    expect(busy).toMatchObject({
      id: both['liveness'].lease.owner,
      host: hostname(),
      pid: process.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      runningCount: 4,
    });
    expect([...busy!.queues].sort()).toEqual(['mail', 'partner']);
    expect(busy!.weights).toEqual({ mail: 3, partner: 1 });
    expect(busy!.leaseEndsAt.getTime()).toBeGreaterThan(busy!.seenAt.getTime());
    expect(busy!.seenAt.getTime()).toBeGreaterThanOrEqual(busy!.startedAt.getTime());
    expect(busy!.running.map(({ id }) => id).sort()).toEqual(jobs.map(({ id }) => id).sort());
    const since = (await bench.queue.find(jobs[3]!.id))!.claimedAt;
    expect(busy!.running).toContainEqual(
      expect.objectContaining({ id: jobs[3]!.id, key: 'k', state: 'running', claimedAt: since }),
    );
    await expect(workers({ jobs: 101 })).rejects.toThrow(InvalidOptionError);
    for (const statement of await statementsOf(bench.queue, () => workers())) {
      // Of so few jobs, MySQL 5.6 reads all to find the lanes.
      const mayReadAll = statement.sql.includes('tq_worker') || statement.sql.includes('GROUP BY queue, state, lane');
      expect(await costlySteps(bench.dataSource, statement)).toEqual(mayReadAll ? expect.anything() : []);
    }
    [...mails.runs, ...calls.runs].forEach(({ end }) => end());
    await waitFor('it is idle', async () => (await workers())[0]?.runningCount === 0);
    expect((await workers())[0]!.running).toEqual([]);
  });

  test('lists the longest running jobs of each worker over all its queues, and counts all of them', async () => {
    const mails = heldHandler(mail);
    const calls = heldHandler(call);
    await bench.work([mails.handler, calls.handler]);
    const ids: string[] = [];
    for (const [index, definition] of [mail, call, call, mail, call].entries()) {
      ids.push((await bench.queue.enqueue(definition)).id);
      await waitFor('it runs', () => mails.runs.length + calls.runs.length === index + 1);
    }
    await bench.work([heldHandler(mail).handler]);
    for (const jobs of [0, 1, 3, 20]) {
      const listed = await workers({ jobs });
      expect(listed.map(({ runningCount }) => runningCount)).toEqual([5, 0]);
      expect(listed.map(({ running }) => running.map(({ id }) => id))).toEqual([ids.slice(0, jobs), []]);
    }
    [...mails.runs, ...calls.runs].forEach(({ end }) => end());
  });

  test('a renewal of the lease updates when the worker was seen', async () => {
    await bench.work([], { lease: '9s' });
    const [first] = await workers();
    await waitFor('it has renewed its lease', async () => {
      const [now] = await workers();
      return now!.seenAt > first!.seenAt && now!.leaseEndsAt > first!.leaseEndsAt;
    });
  });

  test('workers of other processes, also killed ones until they are reaped', async () => {
    const other = await bench.startProcess();
    const listed = await workers();
    expect(listed).toMatchObject([{ host: hostname(), running: [] }]);
    expect(listed[0]!.pid).not.toBe(process.pid);
    await other.child.end('SIGKILL');
    expect(await workers()).toMatchObject([{ id: listed[0]!.id, pid: listed[0]!.pid }]);
  });
});

import { expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const code = defineJob<number>('code', { queue: 'codes', expiresIn: '1m' });
const plain = defineJob<number>('plain', { queue: 'codes' });

describeEach('expired jobs in front of another', (engine) => {
  const bench = useWorkbench(engine);

  /** Runs a job behind expired ones, and returns when these ended, in ms, by the database's clock. */
  const runBehind = async (expired: number, tenant?: string) => {
    const jobs = Array.from({ length: expired }, () => ({ payload: 0, ...(tenant && { tenant }) }));
    await bench.queue.enqueueMany(code, jobs);
    bench.clock.advance('1m');
    const { id } = await bench.queue.enqueue(plain, 1, { ...(tenant && { tenant }) });
    await bench.work([jobHandler(code, () => undefined), jobHandler(plain, () => undefined)]);
    await bench.untilJobIs(id, 'succeeded');
    const ended = (await bench.finishedJobs()).filter(({ state }) => state === 'expired');
    expect(ended).toHaveLength(expired);
    return [...new Set(ended.map(({ finishedAt }) => finishedAt))].sort((a, b) => a - b);
  };

  test('take no tokens of the rate: the claims that meet them are not throttled', async () => {
    await bench.queue.control.limit('codes', { rate: { jobs: 1, per: '10s' } });
    const times = await runBehind(2_000);
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    expect(times.length).toBeGreaterThanOrEqual(5);
    // A throttled worker pauses for 750 ms after each claim.
    expect(Math.min(...gaps)).toBeLessThan(700);
  });
});

import { expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { commandUrl, runHere } from '../support/command-line.js';
import { describeEach } from '../support/each-engine.js';
import { finishedJobs } from '../support/finished-jobs.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob('mail', { queue: 'mail' });

describeEach('tablequeue status', (engine) => {
  const bench = useWorkbench(engine);
  const run = (...args: string[]) => runHere(['status', ...args], { TABLEQUEUE_URL: commandUrl(bench.database) });

  test('all is well: exit code 0, also with notices', async () => {
    const { code, out } = await run();
    expect([code, out]).toEqual([0, expect.stringMatching(/\n\nAll is well\.\n$/)]);
    await finishedJobs(bench, mail, 3, 'failed');
    await bench.dataSource.query('UPDATE tq_job SET position = position - 86400000');
    const old = await run();
    expect(old.code).toBe(0);
    expect(old.out).toMatch(/^All is well, 1 notice\.$/m);
    expect(old.out).toMatch(/^notice {4}3 failed jobs of queue "mail" await a decision\. Since 20\d\d-.*Z\.$/m);
  });

  test('something is wrong: exit code 1, with what helps', async () => {
    await bench.queue.enqueue(mail, undefined, { runAt: new Date(Date.now() - 60_000) });
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toMatch(/^1 problem\.$/m);
    expect(out).toMatch(
      /^critical {2}No worker works on 1 queue with due jobs: mail\. Since 20.*Z\.\n {10}→ Start a worker with these/m,
    );
    const json = await run('--json', '--max-backlog-age', '30s');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      status: 'critical',
      problems: [
        { kind: 'no-worker', count: 1, examples: ['mail'], since: expect.stringMatching(/Z$/) },
        { kind: 'late-backlog', failsCheck: true },
      ],
    });
    await bench.work([jobHandler(mail, () => undefined)]);
    expect((await run()).code).toBe(0);
    expect(await run('--max-backlog-age', '30')).toMatchObject({ code: 2, out: '' });
  });
});

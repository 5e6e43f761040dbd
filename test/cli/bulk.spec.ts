import { expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';

import { commandUrl, runHere } from '../support/command-line.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob('mail', { queue: 'mail' });

describeEach('bulk operations on the command line', (engine) => {
  const bench = useWorkbench(engine);
  const run = (...args: string[]) => runHere(args, { TABLEQUEUE_URL: commandUrl(bench.database) });

  test('counts first, then starts an operation, works on it and shows its progress', async () => {
    expect((await run('bulk', 'list')).out).toBe('No bulk operations.\n');
    await bench.queue.enqueueMany(mail, [{ delay: '1h' }, { delay: '1h' }]);
    const move = ['bulk', 'move', '--state', 'scheduled', '--queue', 'mail', '--to', 'slow', '--by', 'ada'];
    expect((await run(...move)).out).toBe(
      '2 jobs would be changed. Nothing was changed. Repeat the command with --yes.\n',
    );
    expect((await bench.queue.bulk.list()).operations).toEqual([]);
    const { out } = await run(...move, '--yes');
    expect(out).toMatch(/^move \S{36}: counting\nmove \S{36}: 0 of 2\nmove is done: 2 jobs changed, 0 skipped\.\n$/);
    expect((await bench.liveJobs()).map(({ queue }) => queue)).toEqual(['slow', 'slow']);
    expect((await run('bulk', 'list')).out).toMatch(/^\S{36} +move +done +2 of 2 +20\S+Z +ada$/m);
    const priority = ['bulk', 'priority', '--state', 'scheduled', '--priority', '-5', '--yes', '--json'];
    expect(JSON.parse((await run(...priority)).out)).toMatchObject({ state: 'done', changed: 2, priority: -5 });
  });

  test('stops and resumes operations of other processes', async () => {
    await bench.queue.enqueueMany(mail, [{}, {}]);
    const request = { action: 'cancel', filter: { state: 'ready' } } as const;
    const { id: stopped } = await bench.queue.bulk.start(request);
    expect((await run('bulk', 'stop', stopped)).out).toBe('cancel is stopped: 0 jobs changed, 0 skipped.\n');
    const { id } = await bench.queue.bulk.start(request);
    expect((await run('bulk', 'resume', id)).out).toContain('cancel is done: 2 jobs changed, 0 skipped.\n');
    const unknown = '019a0000-0000-7000-8000-000000000000';
    expect(await run('bulk', 'stop', unknown)).toMatchObject({ code: 1, out: 'There is no such operation.\n' });
  });

  test('refuses wrong arguments', async () => {
    for (const wrong of [
      ['burn'],
      ['stop'],
      ['stop', '7'],
      ['cancel'],
      ['list', '019a0000-0000-7000-8000-000000000000'],
    ]) {
      expect(await run('bulk', ...wrong)).toMatchObject({ code: 2, out: '' });
    }
    expect(await run('bulk', 'retry', '--state', 'ready', '--yes')).toMatchObject({ code: 1, out: '' });
  });
});

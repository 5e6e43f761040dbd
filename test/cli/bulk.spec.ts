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
    const err = 'tablequeue: There is no such operation. See "bulk list".\n';
    expect(await run('bulk', 'stop', unknown)).toEqual({ code: 1, out: '', err });
    expect(await run('bulk', 'stop', unknown, '--json')).toEqual({ code: 1, out: 'null\n', err: '' });
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
    const messages: [args: string[], message: string][] = [
      [['stop'], 'Which operation? Give stop the id that "bulk list" shows.'],
      [['stop', '7'], '"7" is not the id of an operation, which is a UUID.'],
      [['cancel', '7'], 'cancel takes no id. Select jobs with --state and other filters.'],
    ];
    for (const [args, message] of messages) {
      expect((await run('bulk', ...args)).err).toBe(`tablequeue: ${message}\n`);
    }
  });

  test.each<[args: string[], message: RegExp]>([
    [['retry', '--state', 'ready'], /"state" is 'ready', but must be failed or cancelled or expired for "retry"/],
    [['move', '--state', 'ready'], /^Which queue\? Give --to/],
    [['move', '--state', 'ready', '--to', 'bad name'], /^'bad name' is not a valid queue name/],
    [['move', '--state', 'ready', '--to', 'tablequeue.events'], /"to" is "?'?tablequeue.events.*reserved/],
    [['priority', '--state', 'ready'], /^Which priority\? Give --priority/],
    [['priority', '--state', 'ready', '--priority', '9999'], /"priority" is 9999/],
    [['skip', '--state', 'failed', '--priority', '3'], /"priority" is 3/],
    [['skip', '--state', 'failed', '--to', 'slow'], /"to" is .*slow/],
    [['cancel', '--state', 'ready', '--by', ''], /It must have 1 to 191 characters/],
  ])('refuses %j, also without --yes', async (args, message) => {
    for (const more of [[], ['--yes']]) {
      const { code, out, err } = await run('bulk', ...args, ...more);
      expect([code, out]).toEqual([2, '']);
      expect(err.replace('tablequeue: ', '')).toMatch(message);
    }
  });

  test('no job matches', async () => {
    expect((await run('bulk', 'cancel', '--state', 'ready')).out).toBe('No job matches.\n');
  });
});

import { expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';

import { commandUrl, runHere } from '../support/command-line.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob<{ to: string }>('cli.mail', { queue: 'mail' });

describeEach('one job on the command line', (engine) => {
  const bench = useWorkbench(engine);
  const run = (...args: string[]) => runHere(args, { TABLEQUEUE_URL: commandUrl(bench.database) });

  test('is enqueued, rescheduled, edited, copied and deleted', async () => {
    await bench.queue.enqueue(mail, { to: 'first' });
    const payload = ['--payload', '{"to":"bob"}'];
    const { out, err } = await run(
      'enqueue',
      'cli.mail',
      '--queue',
      'mail',
      ...payload,
      '--delay',
      '1h',
      '--by',
      'ada',
    );
    expect([out, err]).toEqual([expect.stringMatching(/^\S{36} is enqueued\.\n$/), '']);
    const id = out.slice(0, 36);
    expect(await bench.queue.find(id)).toMatchObject({ state: 'scheduled', payload: { to: 'bob' } });
    const at = '2030-01-31T09:00:00Z';
    expect((await run('reschedule', id, '--at', at)).out).toBe(`${id} is rescheduled.\n`);
    expect((await bench.queue.find(id))?.runAt).toEqual(new Date(at));
    const edit = ['edit', id, '--payload', '{"to":"eve"}', '--by', 'ada', '--reason', 'wrong address'];
    expect(await run(...edit)).toMatchObject({ code: 1, err: expect.stringContaining('is scheduled') });
    await bench.queue.cancel(id);
    expect((await run(...edit)).out).toBe(`${id} is retried with the new payload.\n`);
    const copy = JSON.parse((await run('copy', id, '--json')).out) as { id: string };
    expect(await bench.queue.find(copy.id)).toMatchObject({ state: 'ready', payload: { to: 'eve' } });
    expect((await run('delete', copy.id)).code).toBe(1);
    await bench.queue.cancel(copy.id);
    expect((await run('delete', copy.id, '--by', 'ada')).out).toBe(`${copy.id} is deleted.\n`);
    const { entries } = await bench.queue.activity.audit();
    expect(entries.map(({ who, action }) => `${who ?? 'unknown'} ${action}`)).toEqual([
      'ada delete',
      'unknown copy',
      'ada retry',
      'unknown reschedule',
      'ada enqueue',
    ]);
  });

  test('refuses wrong arguments', async () => {
    const id = '019a0000-0000-7000-8000-000000000000';
    for (const wrong of [
      ['enqueue', 'cli.mail'],
      ['enqueue', 'cli.mail', '--queue', 'mail', '--payload', '{'],
      ['edit', id],
      ['copy', '7'],
      ['reschedule', id],
      ['reschedule', id, '--at', 'tomorrow'],
      ['enqueue', 'cli.mail', '--queue', 'nope', '--priority', '9999'],
    ]) {
      const { code, out, err } = await run(...wrong);
      expect([code, out]).toEqual([2, '']);
      // About the queue of a job that is not stored.
      expect(err).not.toContain('Note:');
    }
    const times = ['--delay', '1h', '--at', '2030-01-31T09:00:00Z'];
    for (const both of [
      ['enqueue', 'cli.mail', '--queue', 'mail'],
      ['copy', id],
      ['reschedule', id],
    ]) {
      const err = 'tablequeue: Give --delay or --at, not both.\n';
      expect(await run(...both, ...times)).toEqual({ code: 2, out: '', err });
    }
    expect(await run('copy', id)).toMatchObject({ code: 1, err: expect.stringContaining('There is no job') });
  });
});

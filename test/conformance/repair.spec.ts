import { expect, test } from '@jest/globals';
import { type UniqueOptions, defineJob, jobHandler } from '@tablequeue/typeorm';
import { Pruner, Reaper, TableQueueUnique, uuidToBytes } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { costlySteps } from '../support/plans.js';
import { ownStatementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const publish = defineJob('publish', { queue: 'callbacks' });
const cleanUp = defineJob('clean-up', { queue: 'callbacks' });
/** More than one page. */
const JOBS = 2_100;

describeEach(
  'rows that something else has deleted',
  (engine) => {
    const bench = useWorkbench(engine);
    const repair = () => new Pruner(bench.queue.engine, false, bench.logger).runOnce();
    const reap = () => new Reaper(bench.queue.engine).runOnce();
    const enqueueUnique = (key: string, options: UniqueOptions = {}) =>
      bench.queue.enqueue(mail, undefined, { delay: '1h', unique: { key, ...options } });
    const enqueueGroup = (...delays: number[]) =>
      bench.queue.groups.enqueue({
        jobs: delays.map((delay) => ({ definition: mail, delay })),
        onSuccess: { definition: publish },
        onComplete: { definition: cleanUp },
      });
    const stateOf = async (id: string | undefined) => (await bench.queue.find(id!))?.state;

    /**
     * Repairs, and returns the figures that it logs: unique keys taken and freed, members restored and cancelled, and
     * order keys freed.
     */
    async function repaired(): Promise<string[]> {
      await repair();
      return bench.logger.lines.splice(0).flatMap((line) => line.match(/\d+/g) ?? []);
    }

    test('unique keys are taken again until their jobs have finished, except those that others have taken', async () => {
      const first = await enqueueUnique('a');
      const unique = Array.from(
        { length: JOBS },
        (_, index) => ({ delay: '1h', unique: { key: `k${index}` } }) as const,
      );
      await bench.queue.enqueueMany(mail, unique);
      const last = await enqueueUnique('b', { while: 'queued' });
      await enqueueUnique('taken');
      await enqueueUnique('period', { period: '1h' });
      await bench.dataSource.query("DELETE FROM tq_unique WHERE unique_key IN ('a', 'b', 'taken', 'period')");
      const taken = await enqueueUnique('taken');
      const tables = 'tq_job, tq_unique, tq_group, tq_member';
      await bench.dataSource.query(engine === 'sqlite' ? 'ANALYZE' : `ANALYZE TABLE ${tables}`);
      const statements = await ownStatementsOf(bench.queue, async () => {
        expect(await repaired()).toEqual(['2', '0', '0', '0', '0']);
      });
      const reads = statements.filter(({ sql }) => /^\s*SELECT[^]*FROM \W?tq_(job|unique|group)\W/.test(sql));
      expect(reads.length).toBeGreaterThan(8);
      for (const read of reads) {
        expect({ sql: read.sql, steps: await costlySteps(bench.dataSource, read) }).toEqual({
          sql: read.sql,
          steps: [],
        });
      }

      expect(await enqueueUnique('a')).toMatchObject({ id: first.id, created: false });
      expect(await enqueueUnique('b')).toMatchObject({ id: last.id, created: false });
      expect(await enqueueUnique('taken')).toMatchObject({ id: taken.id, created: false });
      expect(await enqueueUnique('period', { period: '1h' })).toMatchObject({ created: true });
      expect(await repaired()).toEqual([]);
      await bench.queue.cancelMany({ queue: 'mail' });
      expect((await bench.rows(TableQueueUnique)).map(({ key }) => key)).toEqual(['period']);
    });

    test('members are stored again; a group that has lost ended ones waits until its callbacks are cancelled', async () => {
      const whole = await enqueueGroup(3_600_000, 3_600_000);
      const partial = await enqueueGroup(0, 3_600_000);
      const incomplete = async () =>
        (await bench.queue.health()).problems
          .filter(({ kind }) => kind === 'incomplete-groups')
          .map(({ count }) => count);
      await bench.work([mail, publish, cleanUp].map((definition) => jobHandler(definition, () => undefined)));
      await bench.untilJobIs(partial.jobs[0]!.id, 'succeeded');
      await bench.dataSource.query('DELETE FROM tq_member');
      expect(await reap()).toMatchObject({ triggered: 0 });
      expect(await incomplete()).toEqual([2]);
      expect(await repaired()).toEqual(['0', '0', '3', '0', '0']);
      expect(await incomplete()).toEqual([]);

      bench.clock.advance('1h');
      await bench.untilJobIs(whole.onSuccess!, 'succeeded');
      await bench.untilJobIs(whole.onComplete!, 'succeeded');
      await bench.untilJobIs(partial.jobs[1]!.id, 'succeeded');
      expect(await reap()).toMatchObject({ triggered: 0 });
      expect(await stateOf(partial.onSuccess)).toBe('waiting');
      expect(await incomplete()).toEqual([1]);
      await bench.queue.cancel(partial.onSuccess!);
      await reap();
      expect(await stateOf(partial.onComplete)).toBe('waiting');
      await bench.queue.cancel(partial.onComplete!);
      await reap();
      await waitFor('the group has finished', async () => (await bench.queue.groups.find(partial.id))?.finishedAt);
      expect(await incomplete()).toEqual([]);
      await bench.queue.failed.retry(partial.onComplete!);
      await bench.untilJobIs(partial.onComplete!, 'succeeded');
      expect(bench.logger.lines).toEqual([]);
    });

    test('unique keys of deleted jobs are freed, and members whose job was deleted count as cancelled', async () => {
      await enqueueUnique('a');
      await enqueueUnique('period', { while: 'unfinished', period: '1h' });
      const group = await enqueueGroup(3_600_000, 3_600_000);
      const other = await enqueueGroup(3_600_000);
      await bench.dataSource.query("DELETE FROM tq_job WHERE queue = 'mail' AND group_id IS NULL");
      await bench.dataSource.query("DELETE FROM tq_job WHERE queue = 'mail' AND id < ?", [uuidToBytes(other.id)]);
      expect(await repaired()).toEqual(['0', '2', '0', '2', '0']);
      expect(await enqueueUnique('a')).toMatchObject({ created: true });
      expect(await enqueueUnique('period')).toMatchObject({ created: false });
      await reap();
      expect(await bench.queue.groups.find(group.id)).toMatchObject({ cancelled: 2, finishedAt: expect.any(Date) });
      expect(await stateOf(group.onComplete)).toBe('ready');
      expect(await bench.queue.groups.find(other.id)).toMatchObject({ pending: 1 });
    });
  },
  ['sqlite', 'mariadb'],
);

import { beforeAll, expect, test } from '@jest/globals';
import { TableQueue, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TableQueueQueueRow } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { callProcedure, createProcedure } from '../support/sql-enqueue.js';
import { useWorkbench } from '../support/use-workbench.js';

const SERVERS = ['mariadb', 'mariadb118', 'mysql'] as const;
const codec = { id: 'same', encode: (text: string) => text, decode: (text: string) => text };
const doNothing = () => undefined;
const plain = defineJob<unknown>('rules.plain', { queue: 'rules' });
const ordered = defineJob<unknown>('rules.order', { queue: 'rules', order: { by: () => 'a' } });
const WITH_RULES = [
  ordered,
  defineJob<unknown>('rules.unique', { queue: 'rules', unique: {} }),
  defineJob<unknown>('rules.tenant', { queue: 'other', tenant: () => 'a' }),
  defineJob<unknown>('rules.codec', { queue: 'rules', codec }),
];

describeEach(
  'jobs with rules that only code can apply',
  (engine) => {
    const bench = useWorkbench(engine);
    beforeAll(() => createProcedure(bench.dataSource));

    const call = (name: string, queue = 'rules') => callProcedure(bench.dataSource, { queue, name });
    const stored = async () =>
      Object.fromEntries(
        (await bench.rows(TableQueueQueueRow)).map(({ queue, codeOnlyJobs }) => [queue, codeOnlyJobs]),
      );

    test('are refused once a worker with their handler has started, in any queue', async () => {
      await bench.work([...WITH_RULES, plain].map((definition) => jobHandler(definition, doNothing)));
      for (const { name } of WITH_RULES) {
        for (const queue of ['rules', 'third']) {
          await expect(call(name, queue)).rejects.toThrow(
            `Tablequeue: job ${name} has a codec, order, or a unique or tenant rule: use queue.enqueue()`,
          );
        }
      }
      await call(plain.name);
      expect(await stored()).toEqual({ other: 'rules.tenant', rules: 'rules.codec,rules.order,rules.unique' });
    });

    test('a codec of the queue refuses all jobs of its worker', async () => {
      const queue = new TableQueue(bench.dataSource, { codec });
      const own = defineJob<unknown>('rules.own', { queue: 'rules', codec: [] });
      await bench.work([jobHandler(plain, doNothing), jobHandler(own, doNothing)], {}, queue);
      expect(await stored()).toEqual({ rules: 'rules.plain' });
      await expect(call(plain.name)).rejects.toThrow('use queue.enqueue()');
      await call(own.name);
    });

    test('workers store only their own jobs, and a job without rules again can be enqueued', async () => {
      await bench.work(WITH_RULES.map((definition) => jobHandler(definition, doNothing)));
      await bench.work([jobHandler(defineJob<unknown>(ordered.name, { queue: 'moved' }), doNothing)]);
      expect(await stored()).toEqual({ other: 'rules.tenant', rules: 'rules.codec,rules.unique' });
      await call(ordered.name);
      await Promise.all([
        bench.work([jobHandler(ordered, doNothing)]),
        bench.work([jobHandler(defineJob<unknown>('rules.more', { queue: 'rules', unique: {} }), doNothing)]),
      ]);
      expect(await stored()).toMatchObject({ rules: 'rules.codec,rules.more,rules.order,rules.unique' });
    });

    test('a full queue refuses jobs', async () => {
      await bench.queue.control.limit('rules', { maxLength: 2 });
      await call(plain.name);
      await callProcedure(bench.dataSource, { queue: 'rules', name: plain.name, options: { delay: 60_000 } });
      await expect(call(plain.name)).rejects.toThrow('Tablequeue: queue rules is full: 2 jobs wait. Try again later');
      await call(plain.name, 'other');
      expect(await bench.liveJobs()).toHaveLength(3);
    });
  },
  SERVERS,
);

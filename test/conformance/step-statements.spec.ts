import { expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { type SentStatement, statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const plain = defineJob('plain');
const stepped = defineJob('stepped');

describeEach('statements of durable jobs', (engine) => {
  const bench = useWorkbench(engine);

  /** The statements of a worker, from its first claim until some jobs have ended. Polls and counts are left out. */
  async function sentBy(handler: ReturnType<typeof jobHandler>, jobs: number, definition: typeof plain) {
    const worker = bench.worker([handler], { concurrency: jobs, pollInterval: '1h' });
    const { engine: own } = worker as unknown as { engine: typeof bench.queue.engine };
    await bench.queue.enqueueMany(
      definition,
      Array.from({ length: jobs }, () => ({ payload: undefined })),
    );
    const sent = await statementsOf({ engine: own } as typeof bench.queue, async () => {
      await worker.start();
      await waitFor('all have ended', async () => (await bench.countFinished()) === jobs);
      await worker.stop();
    });
    return sent;
  }

  /** The first words of the statements about a table. A worker that starts looks at the columns of each. */
  const about = (table: string) => (statements: readonly SentStatement[]) =>
    statements
      .filter(({ sql }) => sql.includes(table))
      .map(({ sql }) => sql.trim().split(/\s/)[0])
      .filter((verb) => verb !== 'SHOW');
  const ofSteps = about('tq_step');
  const ofSignals = about('tq_signal');

  test('a job without durable calls sends no statement about steps or signals', async () => {
    const sent = await sentBy(
      jobHandler(plain, () => 'done'),
      3,
      plain,
    );
    expect(sent.length).toBeGreaterThan(0);
    expect([...ofSteps(sent), ...ofSignals(sent)]).toEqual([]);
  });

  test('each step of a first attempt is one INSERT, and nothing is read', async () => {
    const sent = await sentBy(
      jobHandler(stepped, async (_payload, { step }) => {
        for (let item = 1; item <= 5; item++) {
          await step(`item ${item}`, () => item);
        }
      }),
      1,
      stepped,
    );
    expect(ofSteps(sent)).toEqual(Array.from({ length: 5 }, () => 'INSERT'));
    expect(ofSignals(sent)).toEqual([]);
  });

  test('the steps of many jobs that end together share a statement', async () => {
    const jobs = 200;
    let started = 0;
    let startAll: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (startAll = resolve));
    const sent = await sentBy(
      jobHandler(stepped, async (_payload, { step }) => {
        await step('together', async () => {
          if (++started === jobs) {
            startAll();
          }
          await all;
        });
      }),
      jobs,
      stepped,
    );
    expect(ofSteps(sent)).toEqual(['INSERT']);
  });

  test('a job with many steps reads them with one statement when it runs again', async () => {
    const steps = 60;
    const calls = new Set<number>();
    const handler = jobHandler(stepped, async (_payload, { step, attempt }) => {
      const items = Array.from({ length: steps }, (_, item) => step(`item ${item}`, () => void calls.add(item)));
      await Promise.all(items);
      if (attempt === 1) {
        throw new Error('once');
      }
    });
    const worker = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(stepped);
    await bench.untilJobIs(id, 'scheduled');
    const { engine: own } = worker as unknown as { engine: typeof bench.queue.engine };
    const sent = await statementsOf({ engine: own } as typeof bench.queue, async () => {
      bench.clock.advance('1h');
      await bench.untilJobIs(id, 'succeeded');
    });
    expect(ofSteps(sent)).toEqual(['SELECT']);
    expect(calls.size).toBe(steps);
  });
});

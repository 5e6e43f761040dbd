import { beforeAll, expect, test } from '@jest/globals';
import { defineJob, jobHandler } from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { costlySteps, waysInto } from '../support/plans.js';
import { type SentStatement, ownStatementsOf, statementsOf } from '../support/statements.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const letter = defineJob('letter', { queue: 'mail' });

/** How many jobs of each lane the server has counted, and how many it has not. */
const COUNTED = 500;
const UNCOUNTED = 1_500;

describeOnOlderToo('the query plans of reading a lane from a sort key', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'none' });
  beforeAll(async () => {
    await enqueue(COUNTED);
    await bench.dataSource.query(engine === 'sqlite' ? 'ANALYZE' : 'ANALYZE TABLE tq_job');
    await enqueue(UNCOUNTED);
  });

  async function enqueue(count: number): Promise<void> {
    for (const options of [{}, { tenant: 'acme' }, { tenant: 'ace' }, { delay: '1h' as const }]) {
      await bench.queue.enqueueMany(mail, Array<typeof options>(count).fill(options));
    }
  }

  /** The statements with a sort key, as EXPLAIN shows their ranges. */
  async function expectRanges(statements: readonly SentStatement[]): Promise<void> {
    const placed = statements.filter(({ sql }) => /\bposition(, id\))? [<>]/.test(sql));
    expect(placed.length).toBeGreaterThan(2);
    for (const statement of placed) {
      const ways = await waysInto(bench.dataSource, statement, 'tq_job_lane');
      const others = ways.filter((way) => !(engine === 'sqlite' ? /\(position,id\)[<>]/ : /^range /).test(way));
      const costly = await costlySteps(bench.dataSource, statement);
      expect({ ways: ways.length > 0, others, costly }).toEqual({ ways: true, others: [], costly: [] });
    }
  }

  test('where jobs of a name are looked for', async () => {
    await expectRanges(
      await ownStatementsOf(bench.queue, () => bench.queue.cancelMany({ queue: 'mail', only: letter })),
    );
  });

  const span = { from: new Date(1), before: new Date(Date.now() + 24 * 3_600_000) };
  test.each([{ state: 'ready' }, { state: 'scheduled' }, { state: 'scheduled', ...span }] as const)(
    'where jobs are listed: %j',
    async (filter) => {
      const read = async () => {
        for (let after: string | undefined, page = 0; page < 4; page++) {
          const { next } = await bench.queue.jobs.list({ ...filter, limit: 100, ...(after && { after }) });
          after = next;
        }
      };
      await expectRanges(await ownStatementsOf(bench.queue, read));
    },
  );

  test('where jobs are claimed', async () => {
    let ended = 0;
    const worker = bench.worker([jobHandler(mail, () => void ended++)], { concurrency: 100 });
    const statements = await statementsOf({ engine: worker['engine'] } as never, async () => {
      await worker.start();
      await waitFor('all have ended', () => ended === 3 * (COUNTED + UNCOUNTED));
    });
    await expectRanges(statements);
  });
});

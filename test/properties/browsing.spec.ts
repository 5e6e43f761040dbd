import { beforeAll, expect, test } from '@jest/globals';
import { type JobFilter, type JobSnapshot, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { TestingQueue } from '@tablequeue/typeorm/testing';
import * as fc from 'fast-check';

import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { runs } from './runs.js';
import { useWorkbench } from '../support/use-workbench.js';

const QUEUES = ['mail', 'partner'] as const;
const NAMES = ['a', 'b'] as const;
const KEYS = ['k', 'K', 'ü'] as const;
const TENANTS = ['t', 'u'] as const;
/** What a job's handler does; a job without a handler stays as it is. */
const ENDS = ['stays', 'succeeds', 'fails', 'retries'] as const;
const HOUR = 3_600_000;
const JOBS = 60;

const definitions = QUEUES.flatMap((queue) =>
  NAMES.flatMap((name) =>
    ENDS.map((end) =>
      defineJob(`${queue}.${name}.${end}`, {
        queue: `${queue}.${end}`,
        retry: { attempts: end === 'retries' ? 2 : 1, backoff: fixed('1h') },
      }),
    ),
  ),
);
const job = fc.record({
  definition: fc.constantFrom(...definitions),
  key: fc.constantFrom(undefined, ...KEYS),
  tenant: fc.constantFrom(undefined, ...TENANTS),
  priority: fc.integer({ min: -1, max: 1 }),
  delay: fc.constantFrom(0, 0, HOUR),
  isCancelled: fc.boolean(),
});

const STATES = ['ready', 'scheduled', 'succeeded', 'failed', 'cancelled'] as const;
/** A time is taken from one of the jobs, by its number, so that it is often just at the edge. */
const parts = fc.record({
  queue: fc.constantFrom(...new Set(definitions.map(({ queue }) => queue))),
  name: fc.constantFrom(...definitions.map(({ name }) => name)),
  key: fc.constantFrom(...KEYS),
  tenant: fc.constantFrom(...TENANTS),
  errorIncludes: fc.constantFrom('at 1', 'At 1', '%'),
  from: fc.nat(JOBS),
  before: fc.nat(JOBS),
});
const PARTS = ['queue', 'name', 'key', 'tenant', 'errorIncludes', 'from', 'before'] as const;
/** With up to two parts: of more there is hardly a job that meets all. */
const filters = fc
  .tuple(fc.constantFrom(...STATES), parts, fc.subarray([...PARTS], { maxLength: 2 }))
  .map(([state, all, chosen]) => {
    const some: Partial<typeof all> = Object.fromEntries(chosen.map((part) => [part, all[part]]));
    return { state, ...some };
  });

describeEach('filters', (engine) => {
  const bench = useWorkbench(engine, { isolation: 'none' });
  let all: JobSnapshot[];
  beforeAll(async () => {
    // The same ones in each run: the seed of a failure is that of the filters.
    const [jobs = []] = fc.sample(fc.array(job, { minLength: JOBS, maxLength: JOBS }), { numRuns: 1, seed: 1 });
    const ids: string[] = [];
    for (const { definition, isCancelled, ...options } of jobs) {
      const { id } = await bench.queue.enqueue(definition, undefined, options);
      ids.push(id);
      if (isCancelled && definition.queue.endsWith('.stays')) {
        await bench.queue.cancel(id);
      }
    }
    const handlers = definitions
      .filter(({ queue }) => !queue.endsWith('.stays'))
      .map((definition) =>
        jobHandler(definition, (_payload, { attempt, queue }) => {
          if (!queue.endsWith('.succeeds')) {
            throw new Error(`at ${attempt}`);
          }
        }),
      );
    const testing = new TestingQueue(bench.queue, handlers, { logger: new RecordingLogger() });
    await testing.drain({ failures: 'return' });
    all = (await Promise.all(ids.map((id) => bench.queue.find(id)))).map((found) => found!);
  });

  /** When a job was or will be due, or has ended. */
  const timeOf = ({ finishedAt, runAt }: JobSnapshot) => finishedAt ?? runAt;
  const filterOf = ({
    from,
    before,
    ...rest
  }: typeof filters extends fc.Arbitrary<infer T> ? T : never): JobFilter => ({
    ...rest,
    ...(from !== undefined && { from: timeOf(all[from % all.length]!) }),
    ...(before !== undefined && { before: timeOf(all[before % all.length]!) }),
  });
  /** By the words of `JobFilter`. */
  const meets =
    ({ state, errorIncludes, from, before, ...same }: JobFilter) =>
    (found: JobSnapshot) =>
      found.state === state &&
      Object.entries(same).every(([name, value]) => found[name as keyof JobSnapshot] === value) &&
      (errorIncludes === undefined || (found.error?.includes(errorIncludes) ?? false)) &&
      (from === undefined || timeOf(found) >= from) &&
      (before === undefined || timeOf(found) < before);

  test('find exactly the matching jobs, each once and in one order, for any page size', async () => {
    const found = new Set<string>();
    const property = fc.asyncProperty(filters, fc.integer({ min: 1, max: 9 }), async (given, limit) => {
      const filter = filterOf(given);
      const whole = (await bench.queue.jobs.list({ ...filter, limit: 1_000 })).jobs.map(({ id }) => id);
      const wanted = all.filter(meets(filter)).map(({ id }) => id);
      expect([...whole].sort()).toEqual(wanted.sort());
      const paged: string[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const page = await bench.queue.jobs.list({ ...filter, limit, ...(after && { after }) });
        expect(page.jobs.length).toBe(page.next === undefined ? page.jobs.length : limit);
        paged.push(...page.jobs.map(({ id }) => id));
        after = page.next;
      }
      expect(paged).toEqual(whole);
      whole.forEach((id) => found.add(id));
    });
    await fc.assert(property, runs(100));
    expect(found.size).toBeGreaterThan(all.length / 2);
  });

  test('are counted by a preview as they are found', async () => {
    const ACTIONS = { ready: 'cancel', scheduled: 'run-now', failed: 'retry', cancelled: 'retry' } as const;
    const property = fc.asyncProperty(filters, async (given) => {
      const filter = filterOf(given);
      fc.pre(filter.state in ACTIONS);
      const preview = await bench.queue.jobs.preview(ACTIONS[filter.state as keyof typeof ACTIONS], filter);
      expect(preview).toEqual({ count: all.filter(meets(filter)).length, isCapped: false });
    });
    await fc.assert(property, runs(50));
  });

  test('have done to what they mean what is asked, and to nothing else', async () => {
    const property = fc.asyncProperty(filters, fc.integer({ min: 2, max: 500 }), async (given, priority) => {
      const filter = filterOf(given);
      fc.pre(filter.state === 'ready' || filter.state === 'scheduled');
      const meant = all.filter(meets(filter));
      const { changed, skipped } = await bench.queue.jobs.changePriority(filter, priority);
      const after = await Promise.all(all.map(({ id }) => bench.queue.find(id)));
      const wanted = all.map((each) => ({ ...each, priority: meant.includes(each) ? priority : each.priority }));
      expect(after).toEqual(wanted);
      expect({ changed, skipped }).toEqual({
        changed: meant.filter((each) => each.priority !== priority).length,
        skipped: 0,
      });
      all = wanted;
    });
    await fc.assert(property, runs(25));
  });
});

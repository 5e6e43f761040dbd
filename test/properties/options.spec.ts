import { describe, expect, test } from '@jest/globals';
import {
  type JobOptions,
  type QueueLimits,
  type ScheduleOptions,
  TableQueueError,
  TableQueueWorker,
  defineJob,
} from '@tablequeue/typeorm';
import * as fc from 'fast-check';

import { describeEach } from '../support/each-engine.js';
import { odd } from './odd-values.js';
import { runs } from './runs.js';
import { useWorkbench } from '../support/use-workbench.js';

const anything = defineJob<unknown>('anything');

/** Texts that keys, tenants and names of locks may be. */
const label = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 191 })
  .filter((text) => text.length <= 191 && text.isWellFormed() && !text.includes('\0') && !text.endsWith(' '));
const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/);
const duration = (least: number, most: number) =>
  fc.oneof(
    fc.integer({ min: least, max: most }),
    fc.integer({ min: Math.ceil(least / 1000), max: Math.floor(most / 1000) }).map((seconds) => `${seconds}s` as const),
  );

/** Options that `enqueue` takes. */
const jobOptions: fc.Arbitrary<JobOptions> = fc
  .record(
    {
      delay: duration(0, 36_500 * 86_400_000),
      runAt: fc.date({ min: new Date(-1e12), max: new Date(9_999_999_999_999), noInvalidDate: true }),
      priority: fc.integer({ min: -500, max: 500 }),
      key: label,
      tenant: label,
      unique: fc.record(
        { key: label, period: duration(60_000, 1e9), while: fc.constantFrom('queued' as const, 'unfinished' as const) },
        { requiredKeys: ['key'] },
      ),
    },
    { requiredKeys: [] },
  )
  .map(({ delay, ...rest }) => (rest.runAt === undefined && delay !== undefined ? { ...rest, delay } : rest));

describeEach('options', (engine) => {
  const bench = useWorkbench(engine);

  test('enqueue stores its options, and they are read back exactly', async () => {
    const property = fc.asyncProperty(fc.jsonValue(), jobOptions, async (payload, options) => {
      await bench.dataSource.query('DELETE FROM tq_unique');
      const { id, created } = await bench.queue.enqueue(anything, payload, options);
      const job = await bench.queue.find(id);
      expect(created).toBe(true);
      expect(JSON.stringify(job?.payload)).toBe(JSON.stringify(payload));
      expect(job).toMatchObject({ key: options.key, tenant: options.tenant, priority: options.priority ?? 0 });
      if (options.runAt) {
        expect(job?.runAt.getTime()).toBe(options.runAt.getTime());
        expect(job?.state).toBe(options.runAt.getTime() > job!.createdAt.getTime() ? 'scheduled' : 'ready');
      } else {
        const { delay = 0 } = options;
        const wanted = typeof delay === 'number' ? delay : Number.parseInt(delay, 10) * 1000;
        expect(job!.runAt.getTime() - job!.createdAt.getTime()).toBe(wanted);
        expect(job?.state).toBe(wanted === 0 ? 'ready' : 'scheduled');
      }
      if (options.unique) {
        expect(await bench.queue.enqueue(anything, 'other', options)).toMatchObject({ id, created: false });
      }
    });
    await fc.assert(property, runs(60));
  });

  test('limits and schedules are read back as they were set', async () => {
    const rate = fc.record(
      {
        jobs: fc.integer({ min: 1, max: 1e9 }),
        per: fc.integer({ min: 1, max: 365 * 86_400_000 }),
        burst: fc.integer({ min: 1, max: 10 }),
      },
      { requiredKeys: ['jobs', 'per'] },
    );
    const limits: fc.Arbitrary<QueueLimits> = fc.record(
      {
        concurrency: fc.integer({ min: 1, max: 10_000 }),
        concurrencyPerTenant: fc.integer({ min: 1, max: 10_000 }),
        rate,
        ratePerTenant: rate,
      },
      { requiredKeys: [] },
    );
    const schedule: fc.Arbitrary<ScheduleOptions> = fc.record(
      {
        every: duration(1000, 365 * 86_400_000),
        catchUp: fc.constantFrom('none' as const, 'latest' as const),
        overlap: fc.boolean(),
        priority: fc.integer({ min: -500, max: 500 }),
        key: label,
        tenant: label,
      },
      { requiredKeys: ['every'] },
    );
    const property = fc.asyncProperty(
      name,
      limits,
      schedule,
      fc.jsonValue(),
      async (named, limit, options, payload) => {
        await bench.queue.control.limit(named, limit);
        const state = (await bench.queue.control.list()).find(({ queue }) => queue === named);
        expect(state).toMatchObject(limit);
        await bench.queue.recurring.set(named, anything, payload, options);
        const fired = await bench.queue.recurring.fireNow(named);
        const job = await bench.queue.find(fired!.id);
        expect(JSON.stringify(job?.payload)).toBe(JSON.stringify(payload));
        expect(job).toMatchObject({ key: options.key, tenant: options.tenant, priority: options.priority ?? 0 });
        // One of the same name that must not overlap would not be fired beside it.
        await bench.queue.cancel(fired!.id);
      },
    );
    await fc.assert(property, runs(20));
  });

  describe('refused with an error that names them, and nothing is stored', () => {
    const enqueueOption = fc.constantFrom('delay', 'runAt', 'priority', 'key', 'tenant', 'unique');
    const refusals: readonly (readonly [
      string,
      fc.Arbitrary<readonly [string, unknown]>,
      (option: string, value: unknown) => unknown,
    ])[] = [
      [
        'of enqueue',
        fc.tuple(enqueueOption, odd).filter(([option, value]) => !isTaken(option, value)),
        (option, value) => bench.queue.enqueue(anything, 1, { [option]: value }),
      ],
      [
        'of enqueueMany',
        fc.tuple(enqueueOption, odd).filter(([option, value]) => !isTaken(option, value)),
        (option, value) => bench.queue.enqueueMany(anything, [{ payload: 1 }, { payload: 2, [option]: value }]),
      ],
      [
        'of a definition',
        fc
          .tuple(fc.constantFrom('queue', 'keep', 'timeout', 'version', 'retry'), odd)
          .filter(([option, value]) => !(option === 'retry' && isEmptyObject(value))),
        (option, value) => defineJob('a', { [option]: value }),
      ],
      [
        'of a limit',
        fc.tuple(fc.constantFrom('concurrency', 'concurrencyPerTenant', 'rate'), odd),
        (option, value) => bench.queue.control.limit('q', { [option]: value }),
      ],
      [
        'of a worker',
        fc.tuple(
          fc.constantFrom(
            'concurrency',
            'totalConcurrency',
            'lease',
            'pollInterval',
            'deadWorkerGracePeriod',
            'liveness',
            'claimStrategy',
            'logger',
          ),
          odd,
        ),
        (option, value) => new TableQueueWorker(bench.queue, [], { [option]: value }),
      ],
      [
        'of a schedule',
        fc
          .tuple(fc.constantFrom('every', 'catchUp', 'overlap', 'priority', 'key', 'tenant'), odd)
          .filter(([option, value]) => !isTaken(option, value) && !(option === 'overlap' && value === true)),
        (option, value) => bench.queue.recurring.set('s', anything, 1, { every: '1h', [option]: value }),
      ],
      [
        'that are unknown',
        fc.tuple(
          fc.string({ minLength: 1 }).map((text) => `x${text}`),
          odd,
        ),
        (option, value) => bench.queue.enqueue(anything, 1, { [option]: value }),
      ],
    ];
    test.each(refusals)('%s', async (_what, arbitrary, call) => {
      const property = fc.asyncProperty(arbitrary, async ([option, value]) => {
        const error: unknown = await Promise.resolve()
          .then(() => call(option, value))
          .then(
            () => 'nothing was refused',
            (thrown: unknown) => thrown,
          );
        expect(error).toBeInstanceOf(TableQueueError);
        expect(String(error)).toContain(option === 'queue' ? 'queue name' : option);
      });
      await fc.assert(property, runs(60));
      expect(await bench.liveJobs()).toEqual([]);
      expect(await bench.queue.recurring.list()).toEqual([]);
    });
  });
});

/** What is no oddity: `{}` makes a job unique by its payload, half a millisecond is rounded. */
function isTaken(option: string, value: unknown): boolean {
  return (
    (option === 'unique' && (isEmptyObject(value) || !value)) ||
    (option === 'delay' && value === 0.5) ||
    (option === 'priority' && value === -1) ||
    ((option === 'key' || option === 'tenant') && value === '1 fortnight') ||
    ((option === 'key' || option === 'tenant') && value === '-1s')
  );
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0 && !Array.isArray(value);
}

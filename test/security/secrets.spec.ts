import { inspect } from 'node:util';

import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type QueueLogger,
  InvalidOptionError,
  TableQueue,
  type TableQueueOptions,
  TableQueueWorker,
  UnrecoverableJobError,
  defineJob,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import type { Instrumentation } from '@tablequeue/typeorm/instrumentation';
import { PrometheusMetrics } from '@tablequeue/typeorm/prometheus';
import { Registry } from 'prom-client';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const SECRET = 'card-4111-1111';
const charge = defineJob<{ card: string }>('charge', { retry: { attempts: 1 } });
const PAYLOAD = { card: SECRET };

/** Records everything readable in logs and instrumentation, properties that are rarely read included. */
class RecordingObserver {
  readonly recorded: unknown[] = [];
  readonly logger: QueueLogger = {
    log: (...values) => void this.recorded.push(values),
    warn: (...values) => void this.recorded.push(values),
    error: (...values) => void this.recorded.push(values),
  };
  readonly instrumentation: Instrumentation = {
    send: (operation) => {
      this.recorded.push(operation);
      return {
        trace: undefined,
        run: (work) => work(),
        succeeded: () => undefined,
        failed: (error) => void this.recorded.push(error),
      };
    },
    process: (operation) => {
      this.recorded.push(operation);
      return { run: (work) => work(), ended: (ends) => void this.recorded.push(ends) };
    },
    step: (operation) => {
      this.recorded.push(operation);
      return { run: (work) => work(), ended: (error) => void this.recorded.push(error) };
    },
    recordOutcome: (attempt) => void this.recorded.push(attempt),
    observe: () => undefined,
  };
}

/** An error printed in full. */
function allOf(value: unknown): string {
  return inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null });
}

describeEach('the contents of errors and logs', (engine) => {
  const workers: TableQueueWorker[] = [];
  afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));
  const bench = useWorkbench(engine);

  async function runOne(
    handler: Parameters<typeof jobHandler<{ card: string }, unknown>>[1],
    options: TableQueueOptions,
  ) {
    const queue = new TableQueue(bench.dataSource, options);
    const { id } = await queue.enqueue(charge, PAYLOAD);
    const worker = new TableQueueWorker(queue, [jobHandler(charge, handler)], {
      ...(options.logger && { logger: options.logger }),
      maintenance: false,
    });
    workers.push(worker);
    const events: unknown[] = [];
    worker.events.on('failed', (...values) => void events.push(values));
    await worker.start();
    await waitFor('the job has ended', async () => (await bench.countFinished()) === 1);
    await worker.stop();
    const stored = await queue.find(id);
    return {
      stored: [stored?.error, stored?.errors, await bench.dataSource.query('SELECT error FROM tq_error')],
      events,
    };
  }

  test('payloads, results and progress do not appear without a setting', async () => {
    const observer = new RecordingObserver();
    const prometheus = new Registry();
    const metrics = new PrometheusMetrics({ registry: prometheus });
    const both = new TableQueue(bench.dataSource, { instrumentation: metrics, logger: observer.logger });
    await both.enqueue(charge, PAYLOAD);
    await bench.reset();
    await runOne(
      async (payload, job) => {
        job.progress(payload);
        return payload;
      },
      { logger: observer.logger, instrumentation: observer.instrumentation },
    );
    await bench.reset();
    const { stored } = await runOne(
      () => {
        throw new UnrecoverableJobError('the card was refused');
      },
      { logger: observer.logger, instrumentation: observer.instrumentation },
    );
    expect(allOf(observer.recorded)).toContain('the card was refused');
    expect(allOf([observer.recorded, stored, await prometheus.metrics()])).not.toContain(SECRET);
  });

  test('an error of a statement of the handler does not store its values', async () => {
    const observer = new RecordingObserver();
    const { stored } = await runOne(
      async () => {
        await bench.dataSource.query('INSERT INTO nowhere VALUES (?, ?)', [1, SECRET]);
      },
      { logger: observer.logger },
    );
    expect(allOf(stored)).toContain('nowhere');
    expect(allOf([stored, observer.recorded])).not.toContain(SECRET);
  });

  describe('errors of the queue’s own statements', () => {
    const calls: readonly (readonly [string, (queue: TableQueue) => Promise<unknown>])[] = [
      ['enqueue', (queue) => queue.enqueue(charge, PAYLOAD, { key: `k-${SECRET}`, tenant: SECRET })],
      ['enqueueMany', (queue) => queue.enqueueMany(charge, [{ payload: PAYLOAD }, { payload: PAYLOAD }])],
      ['a unique one', (queue) => queue.enqueue(charge, PAYLOAD, { unique: { key: SECRET } })],
      [
        'enqueue in a transaction',
        (queue) => queue.dataSource.transaction((manager) => queue.enqueue(charge, PAYLOAD, { manager })),
      ],
      [
        'a group',
        (queue) =>
          queue.groups.enqueue({
            jobs: [{ definition: charge, payload: PAYLOAD }],
            onComplete: { definition: charge, payload: PAYLOAD },
          }),
      ],
      ['a schedule', (queue) => queue.recurring.set('charge', charge, PAYLOAD, { every: '1h' })],
      ['findByKey', (queue) => queue.findByKey(SECRET)],
    ];

    test.each(calls)('%s', async (_what, call) => {
      const queue = new TableQueue(bench.dataSource, { logger: bench.logger });
      // Whatever a statement fails with: a column that nothing knows any more.
      const columns = [
        ['tq_job', 'payload'],
        ['tq_schedule', 'payload'],
        ['tq_key', 'job_key'],
        ['tq_unique', 'unique_key'],
      ];
      for (const [table, column] of columns) {
        await bench.dataSource.query(`ALTER TABLE ${table} RENAME COLUMN ${column} TO gone`);
      }
      try {
        const error: unknown = await call(queue).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        // Not by its class: native errors are of the realm that has loaded the driver first.
        expect(error).toMatchObject({ message: expect.any(String) });
        expect(allOf(error)).not.toContain(SECRET);
      } finally {
        for (const [table, column] of columns) {
          await bench.dataSource.query(`ALTER TABLE ${table} RENAME COLUMN gone TO ${column}`);
        }
      }
    });
  });

  describe('redact', () => {
    const redact = (text: string) => text.replaceAll(/\d{4}-\d{4}/g, '****');

    test('removes its part from stored data, logs and the instrumentation', async () => {
      const observer = new RecordingObserver();
      const failure = () => {
        const cause = new Error(`declined: ${SECRET}`);
        throw Object.assign(new UnrecoverableJobError(`no money on ${SECRET}`, { cause }), { card: SECRET });
      };
      const { stored, events } = await runOne(failure, {
        logger: observer.logger,
        instrumentation: observer.instrumentation,
        redact,
      });
      expect(allOf(stored)).toContain('no money on card-****');
      expect(allOf(stored)).toContain('declined: card-****');
      expect(allOf(observer.recorded)).toContain('no money on card-****');
      expect(allOf([stored, observer.recorded])).not.toContain(SECRET);
      // In the process itself it is the error that was thrown.
      expect(allOf(events)).toContain(SECRET);
    });

    test('removes it from errors of a transactional handler, and from a result that cannot be stored', async () => {
      const observer = new RecordingObserver();
      const queue = new TableQueue(bench.dataSource, { logger: observer.logger, redact });
      const bad = defineJob('bad', { retry: { attempts: 1 } });
      const odd = defineJob('odd');
      const worker = new TableQueueWorker(
        queue,
        [
          transactionalHandler(bad, () => {
            throw new Error(SECRET);
          }),
          jobHandler(odd, () => ({
            toJSON() {
              throw new Error(SECRET);
            },
          })),
        ],
        { logger: observer.logger, maintenance: false },
      );
      workers.push(worker);
      await queue.enqueue(bad);
      await queue.enqueue(odd);
      await worker.start();
      const finished = await waitFor('both have ended', async () => {
        const ended = await bench.finishedJobs();
        return ended.length === 2 && ended;
      });
      expect(finished.map(({ lastError }) => lastError?.includes('card-****'))).toEqual([true, true]);
      expect(allOf([finished, observer.recorded])).not.toContain(SECRET);
    });

    test.each([
      ['throws', () => raise()],
      ['returns nothing', () => undefined],
    ])('one that %s leaves the whole text out', async (_what, broken) => {
      const observer = new RecordingObserver();
      const failure = () => {
        throw new UnrecoverableJobError(SECRET);
      };
      const options = { logger: observer.logger, instrumentation: observer.instrumentation, redact: broken as never };
      const { stored } = await runOne(failure, options);
      expect(allOf(stored)).toContain('could not be redacted');
      expect(allOf([stored, observer.recorded])).not.toContain(SECRET);
    });

    test('has to be a function', () => {
      expect(() => new TableQueue(bench.dataSource, { redact: /x/ as never })).toThrow(InvalidOptionError);
    });
  });
});

function raise(): never {
  throw new Error('broken');
}

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  InvalidOptionError,
  SnoozeJobError,
  TableQueue,
  UnknownOptionError,
  UnrecoverableJobError,
  batchHandler,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import {
  DrainFailedError,
  EndlessDrainError,
  TestingClock,
  TestingQueue,
  TestingStateError,
  UnhandledJobError,
  inMemoryDatabase,
} from '@tablequeue/typeorm/testing';
import { DataSource } from 'typeorm';

import { Note, NoteSchema } from '../support/note.js';
import { RecordingLogger } from '../support/recording-logger.js';

const write = defineJob<string>('write', { retry: { attempts: 2, backoff: fixed('1h') } });
const echo = defineJob<string>('echo', { queue: 'echoes' });

const logger = new RecordingLogger();
let dataSource: DataSource;
let queue: TableQueue;
let written: string[];
beforeEach(async () => {
  dataSource = await new DataSource(inMemoryDatabase([NoteSchema])).initialize();
  queue = new TableQueue(dataSource, { clock: new TestingClock() });
  written = [];
  logger.lines.length = 0;
});
afterEach(() => dataSource.destroy());

const kit = (...handlers: ConstructorParameters<typeof TestingQueue>[1] & object) =>
  new TestingQueue(queue, handlers, { logger });
const writer = jobHandler(write, (text) => {
  written.push(text);
});

test('a job that expires has no attempt and no payload, also if it expires at the last moment', async () => {
  const clock = new TestingClock();
  queue = new TableQueue(dataSource, { clock });
  const { engine } = queue;
  const execute = engine.execute.bind(engine);
  engine.execute = (factory, options) => {
    if (options.purpose === 'find work for the reaper') {
      clock.advance('1s');
    }
    return execute(factory, options);
  };
  await queue.enqueue(write, 'in vain', { expiresIn: '1s' });
  const ran = await kit(writer).drain();
  expect(ran).toMatchObject([{ name: 'write', outcome: 'expired', attempt: 0, payload: undefined }]);
  expect(written).toEqual([]);
});

test('runs due jobs and the jobs they enqueue, in the order of the queue, and returns their outcomes', async () => {
  const testing = kit(
    writer,
    jobHandler(echo, async (text) => {
      written.push(`${text}!`);
      await queue.enqueue(write, `${text} again`);
    }),
  );
  await queue.enqueueMany(write, [{ payload: 'second' }, { payload: 'first', priority: -1 }, { payload: 'third' }]);
  await queue.enqueue(echo, 'echo', { key: 'hill' });
  await queue.enqueue(write, 'later', { delay: '1h' });
  const ran = await testing.drain();
  expect(written).toEqual(['first', 'echo!', 'second', 'third', 'echo again']);
  expect(ran[1]).toEqual({
    id: expect.any(String),
    name: 'echo',
    queue: 'echoes',
    key: 'hill',
    tenant: undefined,
    payload: 'echo',
    attempt: 1,
    outcome: 'succeeded',
    error: undefined,
  });
  expect(ran.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'succeeded'));
  expect(await testing.drain()).toEqual([]);
  expect(await dataSource.query('SELECT 1 FROM tq_worker')).toEqual([]);
});

test('throws what a handler has thrown, when all is done, or returns it', async () => {
  const testing = kit(
    jobHandler(write, (text) => {
      written.push(text);
      if (text === 'bad') {
        throw new TypeError('bad text');
      }
    }),
  );
  const { id } = await queue.enqueue(write, 'bad');
  await queue.enqueue(write, 'good');
  const failure = await testing.drain().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DrainFailedError);
  expect(failure).toMatchObject({ cause: expect.any(TypeError), jobs: [{ outcome: 'retried' }, {}] });
  expect(String(failure)).toContain(`1 of 2 attempts failed:\n  write (${id}), attempt 1, retried: bad text`);
  expect(written).toEqual(['bad', 'good']);

  // The retry waits for its back-off; then no attempt is left.
  expect(await testing.drain()).toEqual([]);
  testing.clock.advance('59m');
  expect(await testing.drain()).toEqual([]);
  testing.clock.advance('1m');
  const [last] = await testing.drain({ failures: 'return' });
  expect(last).toMatchObject({ id, attempt: 2, outcome: 'failed', error: { message: 'bad text' } });
  expect(logger.lines).toEqual([]);
});

test('delays, leases and schedules follow the clock', async () => {
  const testing = kit(writer);
  await queue.enqueue(write, 'delayed', { delay: '1h' });
  await queue.recurring.set('hourly', write, 'tick', { every: '1h' });
  await queue.enqueue(write, 'abandoned', { priority: -1 });
  await dataSource.query("UPDATE tq_job SET state = 'running', owner = 77, lane = 77 WHERE state = 'ready'");
  await dataSource.query(
    `INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until) VALUES (77, 'h', 1, '0', '[]', 0, 0, ?)`,
    [Date.now() + 30_000],
  );
  expect(await testing.drain()).toEqual([]);
  testing.clock.advance('31s');
  expect((await testing.drain()).map(({ payload }) => payload)).toEqual(['abandoned']);
  testing.clock.advance('1h');
  expect(new Set((await testing.drain()).map(({ payload }) => payload))).toEqual(new Set(['delayed', 'tick']));
});

test('snoozed, cancelled and unrecoverable jobs end as in a worker', async () => {
  const testing = kit(
    jobHandler(write, async (text, { id }) => {
      if (text === 'snooze') {
        throw new SnoozeJobError('1m');
      } else if (text === 'cancel') {
        await queue.cancel(id);
        throw new Error('aborted');
      }
      throw new UnrecoverableJobError('never again');
    }),
  );
  await queue.enqueueMany(write, [{ payload: 'snooze' }, { payload: 'cancel' }, { payload: 'never' }]);
  const ran = await testing.drain({ failures: 'return' });
  expect(ran.map(({ outcome }) => outcome)).toEqual(['snoozed', 'retried', 'failed']);
  // A request while it runs takes effect after a moment, as in a worker.
  let begun = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const held = kit(
    jobHandler(echo, async (_text, { signal }) => {
      begun();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    }),
  );
  const { id } = await queue.enqueue(echo, 'held');
  const drained = held.drain();
  await hasBegun;
  expect(await queue.cancel(id)).toBe('requested');
  expect(await drained).toMatchObject([{ id, outcome: 'cancelled' }]);
});

test('respects pauses, limits and the round robin of tenants', async () => {
  const tenantJob = defineJob<string>('of-tenant', { queue: 'tenants', tenant: (text) => text[0] });
  const testing = kit(
    writer,
    jobHandler(tenantJob, (text) => {
      written.push(text);
    }),
  );
  await queue.enqueueMany(
    tenantJob,
    ['a1', 'a2', 'a3', 'b1', 'b2'].map((payload) => ({ payload })),
  );
  await testing.drain();
  // One of each before the second of any.
  expect(new Set(written.slice(0, 2).map((text) => text[0]))).toEqual(new Set(['a', 'b']));
  expect(new Set(written.slice(2, 4).map((text) => text[0]))).toEqual(new Set(['a', 'b']));
  expect(written[4]).toBe('a3');

  written.length = 0;
  await queue.control.pause('default');
  await queue.enqueueMany(write, [{ payload: '1' }, { payload: '2' }]);
  expect(await testing.drain()).toEqual([]);
  await queue.control.limit('default', { rate: { jobs: 1, per: '1m' } });
  await queue.control.resume('default');
  await testing.drain();
  expect(written).toEqual(['1']);
  testing.clock.advance('1m');
  await testing.drain();
  expect(written).toEqual(['1', '2']);
});

test('a batch handler gets its jobs in one call, and a transactional one its transaction', async () => {
  const calls: number[] = [];
  const many = defineJob<string>('many', { queue: 'mixed' });
  const one = defineJob<number>('one', { queue: 'mixed', retry: { attempts: 1 } });
  const testing = kit(
    batchHandler(many, (jobs) => void calls.push(jobs.length), { size: 3 }),
    transactionalHandler(one, async (id, { manager }) => {
      await manager.insert(Note, { id, text: 'from a job' });
      if (id === 2) {
        throw new Error('rolled back');
      }
    }),
  );
  for (let id = 1; id <= 4; id++) {
    await queue.enqueue(many, `${id}`);
    await (id < 3 && queue.enqueue(one, id));
  }
  const ran = await testing.drain({ failures: 'return' });
  expect(ran).toHaveLength(6);
  expect(calls.reduce((sum, count) => sum + count)).toBe(4);
  expect(Math.max(...calls)).toBeGreaterThan(1);
  expect(await dataSource.getRepository(Note).find()).toEqual([{ id: 1, text: 'from a job' }]);
});

test('a group is released when its last member has run', async () => {
  const testing = kit(writer);
  await queue.groups.enqueue({
    jobs: [
      { definition: write, payload: 'one' },
      { definition: write, payload: 'two' },
    ],
    onSuccess: { definition: write, payload: 'both' },
  });
  await testing.drain();
  expect(written).toEqual(['one', 'two', 'both']);
});

test('progress and results are there afterwards', async () => {
  const testing = kit(
    jobHandler(write, (text, { progress }) => {
      progress('half way');
      return text.length;
    }),
  );
  const { id } = await queue.enqueue(write, 'four');
  await testing.drain();
  expect(await queue.find(id)).toMatchObject({ state: 'succeeded', result: 4, progress: 'half way' });
  expect(await queue.waitFor(id)).toBe(4);
});

test('a job without a handler is reported; jobs of a queue without handlers are not drained', async () => {
  const testing = kit(writer);
  const other = defineJob('other');
  await queue.enqueue(other);
  await queue.enqueue(echo, 'no handler here');
  const failure = (await testing.drain().catch((error: unknown) => error)) as DrainFailedError;
  expect(failure.cause).toBeInstanceOf(UnhandledJobError);
  expect(failure.message).toContain('This process has no handler for job "other" of queue "default"');
  expect(failure.jobs).toHaveLength(1);
  expect(await testing.jobs(echo)).toMatchObject([{ state: 'ready', attempt: 0 }]);
  expect(await new TestingQueue(queue).drain()).toEqual([]);
});

test('a drain that would never end is broken off', async () => {
  const again = defineJob('again', { keep: 'none' });
  const testing = kit(jobHandler(again, () => queue.enqueue(again)));
  await queue.enqueue(again);
  await expect(testing.drain()).rejects.toThrow(EndlessDrainError);
});

test('drains come one after the other; a handler cannot ask for one', async () => {
  const testing = kit(
    jobHandler(write, async (text) => {
      written.push(text);
      await expect(testing.drain()).rejects.toThrow(TestingStateError);
    }),
  );
  await queue.enqueueMany(write, [{ payload: '1' }, { payload: '2' }]);
  const [first, second] = await Promise.all([testing.drain(), testing.drain()]);
  expect([first?.length, second?.length]).toEqual([2, 0]);
});

test('bad input is refused', async () => {
  const testing = kit(writer);
  await expect(testing.drain({ failures: 'ignore' as never })).rejects.toThrow(InvalidOptionError);
  const unknown = testing.drain({ fail: true } as never);
  await expect(unknown).rejects.toThrow(UnknownOptionError);
  await expect(unknown).rejects.toThrow(/use one of: failures, restart, manager, queryRunner/);
  await expect(testing.jobs(write, { name: 'x' } as never)).rejects.toThrow(UnknownOptionError);
  await expect(testing.jobs({} as never)).rejects.toThrow(InvalidOptionError);
  await expect(testing.jobs(write, { delay: 'soon' as never })).rejects.toThrow(InvalidOptionError);
  await expect(testing.jobs(write, { runAt: 'today' as never })).rejects.toThrow(InvalidOptionError);
  expect(() => new TestingQueue(queue, [], { log: 1 } as never)).toThrow(UnknownOptionError);
  expect(() => new TestingQueue(queue, null as never)).toThrow(InvalidOptionError);
  expect(() => new TestingQueue(new TableQueue(dataSource)).clock).toThrow(TestingStateError);
  const queryRunner = dataSource.createQueryRunner();
  await expect(testing.drain({ queryRunner })).rejects.toThrow(InvalidOptionError);
});

import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  TableQueue,
  TableQueueError,
  TableQueueWorker,
  defineJob,
  downTableQueue,
  jobHandler,
  upTableQueue,
} from '@tablequeue/typeorm';
import type { Instrumentation } from '@tablequeue/typeorm/instrumentation';
import { examineDatabase } from '@tablequeue/typeorm/doctor';
import type { DataSource } from 'typeorm';

import { createEmptyDatabase } from '../support/database.js';
import { describeOnOlderToo } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

/** Texts that would end a string, begin a comment, be a parameter or a wildcard, as part of a statement. */
const FRAGMENTS = [
  "'; DROP TABLE witness; --",
  '"; DROP TABLE witness; --',
  '`; DROP TABLE witness; #',
  "\\'; DROP TABLE witness; --",
  "\\\\'); DELETE FROM witness; /*",
  "' OR '1'='1",
  '? ?? :key @key $1',
  '%_%',
  '*/ UNION SELECT 1 /*',
  '\u02bc\uff07; DROP TABLE witness; --',
  "\u00bf\u5c27' OR 1=1 --",
  '0x27204f5220313d31',
  '\n\r\u001a\b\t',
];

/** What the names of the tables begin with: all that ends a name somewhere. A dot ends it by right. */
const PREFIX = 'a`b"c\'d;--é$';

const NAMED = defineJob<string>('named');
const FAILING = defineJob<string>('failing', { retry: { attempts: 1 } });

/** Returns the text itself as the trace of an enqueue. */
class TracingFragments implements Instrumentation {
  readonly seen: (string | null)[] = [];
  private next = 0;
  send() {
    const trace = FRAGMENTS[this.next++ % FRAGMENTS.length];
    return { trace, run: (work: () => void) => work(), succeeded: () => undefined, failed: () => undefined };
  }
  process({ jobs }: { readonly jobs: readonly { readonly trace: string | null }[] }) {
    this.seen.push(...jobs.map(({ trace }) => trace));
    return { run: (work: () => void) => work(), ended: () => undefined };
  }
  step() {
    return { run: (work: () => void) => work(), ended: () => undefined };
  }
  recordOutcome(): void {}
  observe(): void {}
}

describeOnOlderToo('SQL in every text', (engine) => {
  let dataSource: DataSource;
  let queue: TableQueue;
  const logger = new RecordingLogger();
  const tracing = new TracingFragments();
  const database = useDatabase(engine, createEmptyDatabase);
  beforeAll(async () => {
    dataSource = await database.connect({ entityPrefix: PREFIX });
    await dataSource.query('CREATE TABLE witness (id INTEGER NOT NULL PRIMARY KEY)');
    await dataSource.query('INSERT INTO witness VALUES (1), (2)');
    const queryRunner = dataSource.createQueryRunner();
    await upTableQueue(queryRunner);
    await queryRunner.release();
    queue = new TableQueue(dataSource, { instrumentation: tracing, logger });
  });

  /** Nothing was dropped or deleted, and no report went beyond the request. */
  async function expectAllThere(): Promise<void> {
    expect(await dataSource.query('SELECT id FROM witness ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    for (const metadata of dataSource.entityMetadatas.filter(({ tableName }) => tableName.startsWith(`${PREFIX}tq_`))) {
      await dataSource.createQueryBuilder(metadata.target, 'each').getCount();
    }
  }

  test('payload, key, tenant, unique key, trace and result stay unchanged', async () => {
    const ids: string[] = [];
    for (const text of FRAGMENTS) {
      const options = { key: text.trimEnd(), tenant: text.trimEnd(), unique: { key: text.trimEnd() } };
      ids.push((await queue.enqueue(NAMED, text, options)).id);
    }
    for (const [index, text] of FRAGMENTS.entries()) {
      expect(await queue.find(ids[index]!)).toMatchObject({ payload: text, key: text.trimEnd() });
      expect((await queue.findByKey(text.trimEnd())).map(({ id }) => id)).toEqual([ids[index]]);
      expect(await queue.enqueue(NAMED, 'another', { unique: { key: text.trimEnd() } })).toMatchObject({
        id: ids[index],
        created: false,
      });
    }
    await queue.enqueueMany(
      NAMED,
      Array.from({ length: 60 }, (_, index) => ({ payload: FRAGMENTS[index % FRAGMENTS.length]!, key: 'many' })),
    );
    expect((await queue.findByKey('many')).map(({ payload }) => payload as string).sort()).toEqual(
      Array.from({ length: 60 }, (_, index) => FRAGMENTS[index % FRAGMENTS.length]!).sort(),
    );
    await queue.cancelByKey('many');

    const handled: string[] = [];
    const handlers = [
      jobHandler(NAMED, (payload, job) => {
        handled.push(payload);
        job.progress(payload);
        return payload;
      }),
      jobHandler(FAILING, (payload) => {
        throw new Error(payload);
      }),
    ];
    const worker = new TableQueueWorker(queue, handlers, { logger, maintenance: false });
    await worker.start();
    for (const [index, text] of FRAGMENTS.entries()) {
      expect(await queue.waitFor(ids[index]!)).toBe(text);
      expect(await queue.find(ids[index]!)).toMatchObject({ state: 'succeeded', result: text, progress: text });
    }
    expect(handled.sort()).toEqual([...FRAGMENTS].sort());
    expect(new Set(tracing.seen)).toEqual(new Set(FRAGMENTS));

    const failed = await queue.enqueueMany(
      FAILING,
      FRAGMENTS.map((payload) => ({ payload })),
    );
    await waitFor('all have failed', async () => (await queue.failed.count()) === FRAGMENTS.length);
    for (const [index, text] of FRAGMENTS.entries()) {
      const { jobs } = await queue.failed.list({ errorIncludes: `Error: ${text}\n` });
      expect(jobs.map(({ id }) => id)).toEqual([failed[index]!.id]);
      expect(await queue.failed.count({ errorIncludes: `${text}!` })).toBe(0);
      const found = await queue.jobs.search(`Error: ${text}\n`, { payload: true });
      expect(found.jobs.map(({ id, foundIn }) => [id, foundIn])).toEqual([[failed[index]!.id, 'error']]);
    }
    await worker.stop();
    await expectAllThere();
  });

  test('groups, schedules and locks', async () => {
    for (const text of FRAGMENTS) {
      const key = text.trimEnd();
      const { id } = await queue.groups.enqueue({
        jobs: [{ definition: NAMED, payload: text, key, tenant: key }],
        onComplete: { definition: NAMED, payload: text, key: `done ${key}`, tenant: key },
      });
      expect(await queue.groups.find(id)).toMatchObject({ id });
      expect((await queue.findByKey(`done ${key}`)).map(({ payload }) => payload)).toEqual([text]);
      expect(await queue.cancelByKey(key)).toEqual({ cancelled: 1, requested: 0 });
      await queue.cancelByKey(`done ${key}`);

      await queue.recurring.set('schedule', NAMED, text, { every: '1h', key, tenant: key });
      const fired = await queue.recurring.fireNow('schedule');
      expect(await queue.find(fired!.id)).toMatchObject({ payload: text, key });
      await queue.cancel(fired!.id);

      const lock = queue.lock(key);
      expect(await lock.tryLock()).toBe(true);
      expect(await queue.lock(key).tryLock()).toBe(false);
      expect(await lock.release()).toBe(true);
    }
    await expectAllThere();
  });

  describe('where a name, an id or a number is wanted', () => {
    const call = (work: (text: string) => unknown) => work;
    test.each([
      ['a job name', call((text) => defineJob(text))],
      ['the queue of a definition', call((text) => defineJob('a', { queue: text }))],
      ['control.pause', call((text) => queue.control.pause(text))],
      ['control.resume', call((text) => queue.control.resume(text))],
      ['control.limit', call((text) => queue.control.limit(text, {}))],
      ['control.limit, the number', call((text) => queue.control.limit('q', { concurrency: text as never }))],
      ['cancelMany', call((text) => queue.cancelMany({ queue: text }))],
      ['cancelMany, the age', call((text) => queue.cancelMany({ queue: 'q', olderThan: text as never }))],
      ['failed.list, the queue', call((text) => queue.failed.list({ queue: text }))],
      ['failed.list, the limit', call((text) => queue.failed.list({ limit: text as never }))],
      ['failed.list, the cursor', call((text) => queue.failed.list({ after: text }))],
      ['failed.list, a time', call((text) => queue.failed.list({ finishedAfter: text as never }))],
      ['failed.retryMany', call((text) => queue.failed.retryMany({ queue: text }))],
      ['failed.retry', call((text) => queue.failed.retry(text))],
      ['find', call((text) => queue.find(text))],
      ['cancel', call((text) => queue.cancel(text))],
      ['waitFor', call((text) => queue.waitFor(text))],
      ['groups.find', call((text) => queue.groups.find(text))],
      ['counts', call((text) => queue.counts(text as never))],
      ['prune', call((text) => queue.prune(text as never))],
      ['health', call((text) => queue.health({ maxBacklogAge: text as never }))],
      ['priority', call((text) => queue.enqueue(NAMED, 'x', { priority: text as never }))],
      ['delay', call((text) => queue.enqueue(NAMED, 'x', { delay: text as never }))],
      ['runAt', call((text) => queue.enqueue(NAMED, 'x', { runAt: text as never }))],
      ['unique.period', call((text) => queue.enqueue(NAMED, 'x', { unique: { period: text as never } }))],
      ['a schedule, its name', call((text) => queue.recurring.set(text, NAMED, 'x', { every: '1h' }))],
      ['a schedule, its expression', call((text) => queue.recurring.set('s', NAMED, 'x', { cron: text }))],
      [
        'a schedule, its zone',
        call((text) => queue.recurring.set('s', NAMED, 'x', { cron: '@daily', timeZone: text })),
      ],
      ['recurring.pause', call((text) => queue.recurring.pause(text))],
      ['recurring.remove', call((text) => queue.recurring.remove(text))],
      ['a worker’s queue', call((text) => new TableQueueWorker(queue, [], { queues: { [text]: {} } }))],
      ['a worker’s number', call((text) => new TableQueueWorker(queue, [], { concurrency: text as never }))],
    ])('%s refuses SQL', async (_what, work) => {
      const jobs = await queue.counts();
      // The remaining fragment is a valid name, if a strange one.
      for (const text of FRAGMENTS.filter((fragment) => !/^[0-9a-z]+$/.test(fragment))) {
        await expect((async () => work(text))()).rejects.toThrow(TableQueueError);
      }
      expect(await queue.counts()).toEqual(jobs);
      await expectAllThere();
    });
  });

  test('text that pretends to be a number', async () => {
    class Sly extends Date {
      override getTime(): number {
        return '1, 1, 1); DROP TABLE witness; --' as never;
      }
    }
    const sly = (work: () => Promise<unknown>) => expect(work()).rejects.toThrow(TableQueueError);
    await sly(() => queue.enqueue(NAMED, 'x', { runAt: new Sly() }));
    await sly(() =>
      queue.enqueueMany(
        NAMED,
        Array.from({ length: 60 }, () => ({ payload: 'x', runAt: new Sly() })),
      ),
    );
    await sly(() => queue.enqueue(NAMED, 'x', { priority: { valueOf: () => 1 } as never }));
    await sly(() => queue.enqueue(NAMED, 'x', { delay: [1] as never }));
    await expectAllThere();
  });

  test('a prefix of the queue’s own cannot have more than letters, digits and _', async () => {
    const queryRunner = dataSource.createQueryRunner();
    for (const prefix of FRAGMENTS) {
      await expect(upTableQueue(queryRunner, { prefix })).rejects.toThrow(InvalidOptionError);
    }
    await queryRunner.release();
    await expect(queue.control.pause('a.b;c')).rejects.toThrow(InvalidNameError);
  });

  test('the doctor and the way down know the names too', async () => {
    const findings = await examineDatabase(dataSource);
    // The comparison of all columns is TypeORM's, which writes names with a quote as they are: that is unknown then.
    expect(findings.filter(({ status }) => status === 'problem')).toEqual([]);
    expect(findings.filter(({ status }) => status === 'unknown').map(({ check }) => check)).toEqual(['tables']);
    const queryRunner = dataSource.createQueryRunner();
    await downTableQueue(queryRunner);
    await upTableQueue(queryRunner);
    await queryRunner.release();
    await expectAllThere();
  });
});

import { inspect } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import {
  TableQueue,
  TableQueueError,
  TableQueueWorker,
  batchHandler,
  defineJob,
  exponential,
  tableQueueEntities,
  upTableQueue,
} from '@tablequeue/typeorm';
import { Pruner } from '@tablequeue/typeorm/internal';
import { examineDatabase } from '@tablequeue/typeorm/doctor';
import { TestingClock, TestingQueue } from '@tablequeue/typeorm/testing';
import { verify } from '@tablequeue/verify';
import * as fc from 'fast-check';

import { useWorkbench } from '../support/use-workbench.js';
import type { Workbench } from '../support/workbench.js';
import { odd } from './odd-values.js';
import { runs } from './runs.js';

type Takes = (value: unknown) => boolean;

/** What takes options: their names, with which of the odd values each takes, and the call. */
interface Taker {
  readonly what: string;
  readonly options: Readonly<Record<string, Takes>>;
  readonly call: (bench: Workbench, options: object) => unknown;
}

const none: Takes = () => false;
const half: Takes = (value) => value === 0.5;
const aFunction: Takes = (value) => typeof value === 'function';
const text: Takes = (value) => typeof value === 'string' && value !== '';
/** Texts that a column for names can hold, and returns unchanged. */
const label: Takes = (value) => text(value) && String(value).length <= 191 && value !== ' ';
const anObject: Takes = (value) => typeof value === 'object' && inspect(value).endsWith('{}');
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';
const job = defineJob('job');

const TAKERS: readonly Taker[] = [
  {
    what: 'health',
    options: { maxBacklogAge: (value) => half(value) || anObject(value), maxTransactionAge: half, timeout: none },
    call: ({ queue }, options) => queue.health(options),
  },
  { what: 'activity.workers', options: { jobs: none }, call: ({ queue }, options) => queue.activity.workers(options) },
  {
    what: 'activity.audit',
    options: { limit: none, after: none },
    call: ({ queue }, options) => queue.activity.audit(options),
  },
  {
    what: 'failed.list',
    options: {
      queue: none,
      only: none,
      errorIncludes: text,
      finishedAfter: none,
      finishedBefore: none,
      limit: none,
      after: none,
    },
    call: ({ queue }, options) => queue.failed.list(options),
  },
  {
    what: 'failed.retryMany',
    options: { queue: none, only: none, errorIncludes: text, finishedAfter: none, finishedBefore: none },
    call: ({ queue }, options) => queue.failed.retryMany(options),
  },
  {
    what: 'failed.errors',
    options: { queue: none, limit: none },
    call: ({ queue }, options) => queue.failed.errors(options),
  },
  {
    what: 'failed.mute',
    options: { by: (value) => label(value) || value === ' ' },
    call: ({ queue }, options) => queue.failed.mute('0123456789abcdef', '1h', options),
  },
  {
    what: 'jobs.search',
    options: { state: none, payload: (value) => typeof value === 'boolean', limit: none, after: none },
    call: ({ queue }, options) => queue.jobs.search('text', options),
  },
  {
    what: 'jobs.list',
    options: {
      state: none,
      queue: none,
      name: none,
      key: label,
      tenant: label,
      errorIncludes: text,
      errorFingerprint: none,
      from: none,
      before: none,
      limit: none,
      after: none,
    },
    call: ({ queue }, options) => queue.jobs.list({ state: 'ready', ...options }),
  },
  {
    what: 'jobs.cancel',
    options: { by: (value) => label(value) || value === ' ', steps: none, after: none },
    call: ({ queue }, options) => queue.jobs.cancel({ state: 'ready' }, options),
  },
  {
    what: 'cancelMany',
    options: { queue: none, only: none, olderThan: half },
    call: ({ queue }, options) => queue.cancelMany({ queue: 'none', ...options }),
  },
  { what: 'cancelByKey', options: { only: none }, call: ({ queue }, options) => queue.cancelByKey('none', options) },
  {
    what: 'lock',
    options: { timeout: half },
    call: async ({ queue }, options) => {
      const lock = queue.lock('name');
      await lock.acquire(options);
      await lock.release();
    },
  },
  {
    what: 'waitFor',
    options: { timeout: none, signal: none },
    call: ({ queue }, options) => queue.waitFor(UNKNOWN_ID, options),
  },
  {
    what: 'groups.enqueue',
    options: { onSuccess: none, onFailure: none, onComplete: none },
    call: ({ queue }, options) => queue.groups.enqueue({ jobs: [{ definition: job }], ...options }),
  },
  {
    what: 'retention',
    options: { succeeded: none, failed: none, cancelled: none, audit: none },
    call: ({ queue }, options) => new Pruner(queue.engine, options),
  },
  {
    what: 'retry',
    options: { attempts: none, backoff: aFunction, crashes: none },
    call: (_bench, retry) => defineJob('job', { retry }),
  },
  {
    what: 'exponential',
    options: { from: half, max: none, factor: none, jitter: half },
    call: (_bench, options) => exponential({ from: '1s', max: '1h', ...options }),
  },
  {
    what: 'batchHandler',
    options: { size: none },
    call: (_bench, options) => batchHandler(job, () => undefined, options),
  },
  {
    what: 'queues of a worker',
    options: { concurrency: none, weight: none, limits: anObject },
    call: ({ queue }, options) => new TableQueueWorker(queue, [], { queues: { default: options } }),
  },
  {
    what: 'TableQueue',
    options: {
      maxPayloadBytes: none,
      outsideTransaction: none,
      currentManager: aFunction,
      redact: aFunction,
      preparedStatements: (value) => value === true,
      logger: none,
    },
    call: ({ dataSource }, options) => new TableQueue(dataSource, options),
  },
  {
    what: 'tableQueueEntities',
    options: { prefix: none },
    call: (_bench, options) => tableQueueEntities('mysql', options),
  },
  {
    what: 'upTableQueue',
    options: { prefix: none, from: none, to: none },
    call: async ({ dataSource }, options) => upTableQueue(dataSource.createQueryRunner(), options),
  },
  {
    what: 'examineDatabase',
    options: { maxPayloadBytes: none, maxTransactionAge: half },
    call: ({ dataSource }, options) => examineDatabase(dataSource, options),
  },
  {
    what: 'TestingClock',
    options: { date: (value) => value === true },
    call: (_bench, options) => new TestingClock(options),
  },
  {
    what: 'drain',
    options: { failures: none },
    call: ({ queue }, options) => new TestingQueue(queue).drain(options),
  },
  {
    what: 'verify',
    options: {
      durationMs: none,
      jobs: none,
      rate: none,
      workers: none,
      producers: none,
      seed: none,
      lease: none,
      faults: (value) => Array.isArray(value),
    },
    call: async (_bench, options) => {
      const dataSourceOptions = { type: 'better-sqlite3', database: 'verified.sqlite' } as const;
      const signal = AbortSignal.abort('options are taken');
      await verify({ dataSourceOptions, signal, ...options }).catch((error: unknown) => {
        if (error !== signal.reason) {
          throw error;
        }
      });
    },
  },
];

// On SQLite alone: options are looked at before the database is.
describe('further options', () => {
  const bench = useWorkbench('sqlite');

  test.each(TAKERS.map((taker) => [taker.what, taker] as const))(
    'of %s are taken, or refused with an error that names them',
    async (_what, { options, call }) => {
      const option = fc.oneof(
        fc.constantFrom(...Object.keys(options)),
        fc.string({ minLength: 1 }).map((text) => `x${text}`),
      );
      const property = fc.asyncProperty(option, odd, async (name, value) => {
        const error: unknown = await Promise.resolve()
          .then(() => call(bench, { [name]: value }))
          .then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
        if (options[name]?.(value)) {
          expect(error).toBeUndefined();
        } else {
          expect(error).toBeInstanceOf(TableQueueError);
          expect(String(error)).toContain(name);
        }
      });
      await fc.assert(property, runs(200));
    },
  );
});

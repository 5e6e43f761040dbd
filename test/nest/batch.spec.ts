import 'reflect-metadata';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { QueueHandler, Recurring, TableQueueModule } from '@tablequeue/nestjs';
import {
  type BatchJob,
  InvalidOptionError,
  type JobContext,
  TableQueue,
  type TransactionalJobContext,
  UnknownOptionError,
  defineJob,
  fixed,
} from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const sync = defineJob<{ id: number }>('contact.sync', { retry: { attempts: 2, backoff: fixed(0) } });
const sweep = defineJob<{ id: number }>('contact.sweep');
const pair = defineJob<{ id: number }>('contact.pair');

@Injectable()
class Contacts {
  readonly calls: number[][] = [];
  readonly swept: number[] = [];
  readonly pairs: number[][] = [];

  @QueueHandler(sync, { batch: { size: 2 } })
  async sync(jobs: readonly BatchJob<{ id: number }>[]): Promise<void> {
    this.calls.push(jobs.map(({ payload: { id } }) => id));
    for (const { payload, attempt, succeed, fail } of jobs) {
      if (payload.id === 2 && attempt === 1) {
        fail(new Error('refused once'));
      } else {
        succeed(`contact ${payload.id}`);
      }
    }
  }

  @QueueHandler(pair, { batch: { size: 2, maxWait: '1h', by: ({ id }) => String(id % 2) } })
  pair(jobs: readonly BatchJob<{ id: number }>[]): void {
    this.pairs.push(jobs.map(({ payload: { id } }) => id));
  }

  @Recurring({ every: '1s', payload: { id: 7 } })
  @QueueHandler(sweep, { batch: true })
  sweep(jobs: readonly BatchJob<{ id: number }>[]): void {
    this.swept.push(...jobs.map(({ payload: { id } }) => id));
  }
}

// @nestjs/typeorm keeps its automatically loaded entities for the whole process: one engine to a file.
describeEach(
  'a decorated batch handler',
  (engine) => {
    let app: INestApplicationContext;
    const database = useDatabase(engine);
    beforeEach(async () => {
      @Module({
        imports: [
          ScheduleModule.forRoot(),
          TypeOrmModule.forRoot({ ...database.options(), entities: [], autoLoadEntities: true }),
          TableQueueModule.forRoot({ databaseType: 'better-sqlite3', pollInterval: '20ms' }),
        ],
        providers: [Contacts],
      })
      class AppModule {}
      const testing = await Test.createTestingModule({ imports: [AppModule] }).compile();
      app = await testing.createNestApplication().init();
    });
    afterEach(() => app.close());

    test('gets the jobs of a claim, up to its size, and sets the outcome of each', async () => {
      const queue = app.get(TableQueue);
      const payloads = [1, 2, 3, 4, 5].map((id) => ({ payload: { id } }));
      const jobs = await queue.enqueueMany(sync, payloads);
      const results = await Promise.all(jobs.map(({ id }) => queue.waitFor(id)));
      expect(results).toEqual([1, 2, 3, 4, 5].map((id) => `contact ${id}`));
      expect(app.get(Contacts).calls).toEqual([[1, 2], [3, 4], [5], [2]]);
    });

    test('waits for the jobs of a key', async () => {
      const queue = app.get(TableQueue);
      for (const id of [1, 2, 3, 4]) {
        await queue.enqueue(pair, { id });
      }
      const { pairs } = app.get(Contacts);
      await waitFor('both calls', () => pairs.length === 2);
      expect(pairs.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
        [1, 3],
        [2, 4],
      ]);
    });

    test('can recur, with the payload of one job', async () => {
      await waitFor('a tick', () => app.get(Contacts).swept.length > 0);
      expect(app.get(Contacts).swept[0]).toBe(7);
    });
  },
  ['sqlite'],
);

test('a method that does not match the definition is a compile error', () => {
  class Wrong {
    // @ts-expect-error -- one payload, not many jobs
    @QueueHandler(sync, { batch: true })
    single(_payload: { id: number }): void {}

    // @ts-expect-error -- another payload
    @QueueHandler(sync, { batch: { size: 3 } })
    other(_jobs: readonly BatchJob<{ name: string }>[]): void {}

    // @ts-expect-error -- the key is not of this payload
    @QueueHandler(sync, { batch: { by: ({ name }: { name: string }) => name } })
    byOther(_jobs: readonly BatchJob<{ id: number }>[]): void {}

    // @ts-expect-error -- results belong to jobs
    @QueueHandler(sync, { batch: true })
    returning(_jobs: readonly BatchJob<{ id: number }>[]): number[] {
      return [];
    }

    // @ts-expect-error -- many jobs, not one payload
    @QueueHandler(sync)
    many(_jobs: readonly BatchJob<{ id: number }>[]): void {}

    // @ts-expect-error -- the payload of the schedule is another
    @Recurring({ every: '1h', payload: { name: 'x' } })
    @QueueHandler(sync, { batch: true })
    recurring(_jobs: readonly BatchJob<{ id: number }>[]): void {}

    @QueueHandler(sync, { batch: false })
    right(_payload: { id: number }, _job: JobContext): void {}

    @QueueHandler(sync, { transactional: true, batch: false })
    transactional(_payload: { id: number }, _job: TransactionalJobContext): void {}
  }
  expect(Wrong).toBeDefined();
});

test('wrong options are refused, and batches beside a transaction', () => {
  const decorate = (options: object) => () =>
    QueueHandler(sync, options)(Contacts.prototype, 'sweep', { value: () => undefined });
  expect(decorate({ batch: { size: 0 } })).toThrow(InvalidOptionError);
  expect(decorate({ batch: { size: 0 } })).toThrow(/"@QueueHandler of Contacts.sweep.batch.size" is 0.*from 1 to 800/);
  expect(decorate({ batch: { sice: 3 } })).toThrow(UnknownOptionError);
  expect(decorate({ batch: 3 })).toThrow(/"@QueueHandler of Contacts.sweep.batch" is 3, but must be an object/);
  expect(decorate({ batch: true, transactional: true })).toThrow(
    /"@QueueHandler of Contacts.sweep.batch" is true, but must be left out beside `transactional`/,
  );
});

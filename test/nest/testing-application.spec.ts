import 'reflect-metadata';

import { afterEach, expect, test } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { QueueHandler, TableQueueModule } from '@tablequeue/nestjs';
import { testingQueue, withTestingQueue } from '@tablequeue/nestjs/testing';
import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { TestingClock } from '@tablequeue/typeorm/testing';
import { DataSource, type EntityManager } from 'typeorm';

import { Note, NoteSchema } from '../support/note.js';
import { useDatabase } from '../support/use-database.js';

const keep = defineJob<{ id: number; text: string }>('note.keep');

@Injectable()
class Notes {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly queue: TableQueue,
  ) {}

  order(id: number, manager: EntityManager): Promise<unknown> {
    return this.queue.enqueue(keep, { id, text: 'kept' }, { manager });
  }

  @QueueHandler(keep)
  async keep({ id, text }: { id: number; text: string }): Promise<void> {
    await this.dataSource.getRepository(Note).insert({ id, text });
  }
}

let app: TestingModule | undefined;
const database = useDatabase('sqlite');
afterEach(async () => {
  await app?.close();
  app = undefined;
});

function builder(options: { clock?: TestingClock } = {}) {
  @Module({
    imports: [
      ScheduleModule.forRoot(),
      TypeOrmModule.forRoot({ ...database.options(), entities: [NoteSchema], autoLoadEntities: true }),
      TableQueueModule.forRoot({ databaseType: 'better-sqlite3', pollInterval: '20ms', ...options }),
    ],
    providers: [Notes],
  })
  class AppModule {}
  return Test.createTestingModule({ imports: [AppModule] });
}

test('in an application of its own database nothing runs automatically, and a rollback leaves it as before', async () => {
  app = await (await withTestingQueue(builder()).compile()).init();
  const queue = testingQueue(app);
  const dataSource = app.get(DataSource);
  expect(app.get(SchedulerRegistry).getIntervals()).toEqual([]);
  const queryRunner = dataSource.createQueryRunner();
  await queryRunner.startTransaction();
  const { manager } = queryRunner;
  await app.get(Notes).order(1, manager);
  await queue.expectEnqueued(keep, { payload: { id: 1 }, manager });
  expect(await queue.drain({ manager })).toMatchObject([{ name: 'note.keep', outcome: 'succeeded' }]);
  expect(await manager.countBy(Note, { id: 1 })).toBe(1);
  await queryRunner.rollbackTransaction();
  expect(await dataSource.getRepository(Note).count()).toBe(0);
  await queue.expectNotEnqueued();
});

test('it has a clock: its own, the given one, or a new one', async () => {
  const own = new TestingClock();
  app = await (await withTestingQueue(builder({ clock: own })).compile()).init();
  expect(testingQueue(app).clock).toBe(own);
  await app.close();
  const given = new TestingClock();
  app = await (await withTestingQueue(builder({ clock: own }), { clock: given }).compile()).init();
  expect(testingQueue(app).clock).toBe(given);
  await app.close();
  app = await (await withTestingQueue(builder()).compile()).init();
  await app.get(TableQueue).enqueue(keep, { id: 2, text: 'later' }, { delay: '1h' });
  testingQueue(app).clock.advance('1h');
  expect(await testingQueue(app).drain()).toHaveLength(1);
});

test('in an application that runs, a job is waited for', async () => {
  app = await (await builder().compile()).init();
  const queue = testingQueue(app);
  const waited = queue.waitFor(keep, { payload: { id: 3 }, timeout: '20s' });
  await app.get(DataSource).transaction((manager) => app!.get(Notes).order(3, manager));
  expect((await waited).state).toBe('succeeded');
  expect(await app.get(DataSource).getRepository(Note).countBy({ id: 3 })).toBe(1);
});

/* Run by open-handles.spec.ts in a Jest of its own. */
import 'reflect-metadata';

import { expect, test } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OnQueueEvent, QueueEvents, QueueHandler, Recurring, TableQueueModule } from '@tablequeue/nestjs';
import { TableQueue, defineJob } from '@tablequeue/typeorm';

import type { Engine } from '../servers/engines.js';
import { DATABASE_TYPES, connectionOptions } from '../support/connection-options.js';

const { ENGINE = 'sqlite', URL = '' } = process.env;
const engine = ENGINE as Engine;

const greet = defineJob('greet');
const hold = defineJob('hold', { timeout: '1h' });

@Injectable()
class Greeter {
  held = false;

  @QueueHandler(greet)
  @Recurring({ every: '1h' })
  greet(): string {
    return 'hello';
  }

  @QueueHandler(hold)
  hold(): Promise<never> {
    this.held = true;
    return new Promise(() => undefined);
  }

  @OnQueueEvent('drained')
  drained(): void {}
}

@Module({
  imports: [
    ScheduleModule.forRoot(),
    TypeOrmModule.forRoot({ ...connectionOptions(engine, URL), entities: [], autoLoadEntities: true }),
    TableQueueModule.forRoot({ databaseType: DATABASE_TYPES[engine], shutdownTimeout: 10 }),
  ],
  providers: [Greeter],
})
class AppModule {}

test('an application that runs jobs is closed', async () => {
  const app = (await Test.createTestingModule({ imports: [AppModule] }).compile()).createNestApplication();
  await app.listen(0, '127.0.0.1');
  const queue = app.get(TableQueue);
  app.get(QueueEvents).all.subscribe();
  const held = await queue.enqueue(hold);
  const given = queue.waitFor(held.id).catch((error: unknown) => error);
  const { id } = await queue.enqueue(greet);
  expect(await queue.waitFor(id)).toBe('hello');
  expect(await queue.find(held.id)).toMatchObject({ state: 'running' });
  await app.close();
  expect(await given).toBeInstanceOf(Error);
});

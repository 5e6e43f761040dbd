import 'reflect-metadata';

import { expect, test } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { QueueHandler, Recurring, TableQueueModule } from '@tablequeue/nestjs';
import { TableQueue, defineJob } from '@tablequeue/typeorm';

import { createDatabase } from '../support/database.js';
import { waitFor } from '../support/wait-for.js';

const before = defineJob<number>('order.paid');
const orderPaid = defineJob<{ cents: number }>('order.paid', {
  version: 2,
  upcasters: { 1: (amount: number) => ({ cents: amount * 100 }) },
});

@Injectable()
class Orders {
  readonly paid: number[] = [];

  @QueueHandler(orderPaid)
  @Recurring({ every: '1d', payload: { cents: 1 } })
  pay({ cents }: { cents: number }): void {
    this.paid.push(cents);
  }
}

test('a decorated method gets payloads of the present version, and recurs with it', async () => {
  const database = await createDatabase('sqlite');
  @Module({
    imports: [
      ScheduleModule.forRoot(),
      TypeOrmModule.forRoot({ ...database.options(), entities: [], autoLoadEntities: true }),
      TableQueueModule.forRoot({ databaseType: 'better-sqlite3' }),
    ],
    providers: [Orders],
  })
  class AppModule {}
  const app = (await Test.createTestingModule({ imports: [AppModule] }).compile()).createNestApplication();
  await app.init();
  const queue = app.get(TableQueue);
  await queue.enqueue(before, 5);
  await waitFor('it is paid', () => app.get(Orders).paid.length === 1);
  expect(app.get(Orders).paid).toEqual([500]);
  expect(await queue.recurring.list()).toMatchObject([{ name: 'order.paid', payloadVersion: 2 }]);
  await app.close();
  await database.drop();
});

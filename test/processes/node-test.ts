/*
 * The testing kit in node:test, with its mocked Date. A test file of an application: it ends unless something stays
 * open.
 */
import 'reflect-metadata';
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

import { type INestApplicationContext, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { QueueHandler } from '@tablequeue/nestjs';
import { TableQueueTestingModule, testingQueue } from '@tablequeue/nestjs/testing';
import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { JobExpectationError } from '@tablequeue/typeorm/testing';

const greet = defineJob<string>('greet');

@Injectable()
class Greeter {
  readonly greeted: string[] = [];

  @QueueHandler(greet)
  greet(name: string): void {
    this.greeted.push(`${name}, ${new Date().getUTCFullYear()}`);
  }
}

let app: INestApplicationContext;
beforeEach(async () => {
  const testing = Test.createTestingModule({ imports: [TableQueueTestingModule.forRoot()], providers: [Greeter] });
  app = await (await testing.compile()).init();
});
afterEach(async () => {
  mock.timers.reset();
  await app.close();
});

void test('a job is enqueued and run', async () => {
  const queue = testingQueue(app);
  queue.runInline();
  await app.get(TableQueue).enqueue(greet, 'Ada');
  equal(app.get(Greeter).greeted.length, 1);
  await queue.expectEnqueued(greet, { payload: 'Ada' });
  await rejects(queue.expectEnqueued(greet, { payload: 'Bob' }), JobExpectationError);
});

void test('the queue follows the mocked Date', async () => {
  const queue = testingQueue(app);
  await queue.expectNotEnqueued();
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2040, 0, 1) });
  await app.get(TableQueue).enqueue(greet, 'Ada', { runAt: new Date(2041, 5, 1) });
  deepEqual(await queue.drain(), []);
  mock.timers.setTime(Date.UTC(2041, 6, 1));
  await queue.drain();
  deepEqual(app.get(Greeter).greeted, ['Ada, 2041']);
});

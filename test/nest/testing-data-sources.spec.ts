import 'reflect-metadata';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import { InjectTableQueue, MissingModuleError, QueueHandler } from '@tablequeue/nestjs';
import { testingQueue, withTestingQueue } from '@tablequeue/nestjs/testing';
import { TableQueue, defineJob } from '@tablequeue/typeorm';

import { type TestDatabase, createDatabase } from '../support/database.js';
import { dataSourceModule, queueModule } from '../support/nest-application.js';

const build = defineJob<string>('report.build');

const ping = defineJob<string>('ping');
const pong = defineJob<string>('pong');

@Injectable()
class Reports {
  readonly built: string[] = [];

  constructor(
    readonly home: TableQueue,
    @InjectTableQueue('reports') readonly reports: TableQueue,
  ) {}

  async order(month: string): Promise<void> {
    await this.home.enqueue(build, month);
    await this.reports.enqueue(build, month);
  }

  @QueueHandler(build)
  build(month: string): void {
    this.built.push(`${month} at home`);
  }

  @QueueHandler(ping)
  async ping(payload: string): Promise<void> {
    this.built.push('ping');
    await (payload === 'first' && this.reports.enqueue(pong, 'last'));
  }

  @QueueHandler(pong, { dataSource: 'reports' })
  async pong(payload: string): Promise<void> {
    this.built.push('pong');
    await (payload === 'first' && this.home.enqueue(ping, 'last'));
  }

  @QueueHandler(build, { dataSource: 'reports' })
  buildThere(month: string): void {
    this.built.push(`${month} in reports`);
  }
}

let databases: TestDatabase[];
beforeAll(async () => {
  databases = await Promise.all([createDatabase('sqlite'), createDatabase('sqlite')]);
});
afterAll(() => Promise.all(databases.map((database) => database.drop())));

async function start(): Promise<TestingModule> {
  const [home, reports] = databases as [TestDatabase, TestDatabase];
  const builder = Test.createTestingModule({
    imports: [
      ScheduleModule.forRoot(),
      dataSourceModule(home),
      dataSourceModule(reports, 'reports'),
      queueModule(home),
      queueModule(reports, 'reports'),
    ],
    providers: [Reports],
  });
  return (await withTestingQueue(builder).compile()).init();
}

test('each data source has its own testing queue', async () => {
  const app = await start();
  const { built } = app.get(Reports);
  await app.get(Reports).order('May');
  expect(built).toEqual([]);
  await testingQueue(app, 'reports').drain();
  expect(built).toEqual(['May in reports']);
  await testingQueue(app).drain();
  expect(built).toEqual(['May in reports', 'May at home']);
  expect(() => testingQueue(app, 'nowhere')).toThrow(MissingModuleError);
  await app.close();
});

test('inline, handlers of two data sources that enqueue to one another do not wait', async () => {
  const app = await start();
  testingQueue(app).runInline();
  testingQueue(app, 'reports').runInline();
  const { home, reports, built } = app.get(Reports);
  await Promise.all([home.enqueue(ping, 'first'), reports.enqueue(pong, 'first')]);
  expect(built.toSorted()).toEqual(['ping', 'ping', 'pong', 'pong']);
  await app.close();
});

import 'reflect-metadata';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type DynamicModule, type INestApplication, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule, getDataSourceToken } from '@nestjs/typeorm';
import { QueuePruner, TableQueueModule, getTableQueueToken } from '@tablequeue/nestjs';
import { type TableQueue, defineJob } from '@tablequeue/typeorm';
import { TestingClock } from '@tablequeue/typeorm/testing';
import type { DataSource } from 'typeorm';

import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';

const add = defineJob('add');

describeEach(
  'TableQueueModule with the history in days',
  (engine) => {
    const databaseType = engine as 'mysql' | 'mariadb';
    const clock = new TestingClock();
    let database: TestDatabase;
    let app: INestApplication;
    beforeEach(async () => {
      database = await createEmptyDatabase(engine);
    });
    afterEach(async () => {
      await app.close();
      await database.drop();
    });

    // @nestjs/typeorm keeps its automatically loaded entities for the whole process, by the name of the data source.
    const extras = (name: string) => ({ databaseType, dataSource: name, partitionHistory: 'day' as const });

    test.each<[string, (name: string) => DynamicModule]>([
      ['options', (name) => TableQueueModule.forRoot({ ...extras(name), clock })],
      ['a factory', (name) => TableQueueModule.forRootAsync({ ...extras(name), useFactory: () => ({ clock }) })],
    ])('%s: what synchronize cannot make, the pruner makes', async (kind, queueModule) => {
      const name = `${engine} ${kind}`;
      @Module({
        imports: [
          ScheduleModule.forRoot(),
          TypeOrmModule.forRoot({
            ...database.options(),
            entities: [],
            autoLoadEntities: true,
            synchronize: true,
            name,
          }),
          queueModule(name),
        ],
      })
      class AppModule {}
      app = (await Test.createTestingModule({ imports: [AppModule] }).compile()).createNestApplication();
      await app.init();
      const dataSource = app.get<DataSource>(getDataSourceToken(name));
      const queue = app.get<TableQueue>(getTableQueueToken(name));
      const pruner = app.get(getTableQueueToken(name, QueuePruner));
      const partitions = async () => {
        const rows = (await dataSource.query(
          `SELECT PARTITION_NAME AS name FROM information_schema.PARTITIONS
           WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'tq_history' AND PARTITION_NAME IS NOT NULL`,
        )) as { name: string }[];
        return rows.map((row) => row.name);
      };
      const { id } = await queue.enqueue(add, undefined, { delay: '1h' });
      await queue.cancel(id);
      expect(await partitions()).toEqual([]);

      expect(await pruner.runOnce()).toEqual({ deleted: 0 });
      const made = await partitions();
      expect(made.length).toBeGreaterThan(7);
      expect((await dataSource.driver.createSchemaBuilder().log()).upQueries).toEqual([]);
      expect((await queue.find(id))?.state).toBe('cancelled');

      clock.advance('33d');
      expect(await pruner.runOnce()).toEqual({ deleted: 1 });
      expect(await partitions()).not.toContain(made[0]);
    });
  },
  ['mariadb'],
);

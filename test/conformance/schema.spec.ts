import { readFileSync, writeFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';
import { TableQueue, defineJob, downTableQueue, tableQueueEntities, upTableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { DATABASE_TYPES } from '../support/connection-options.js';
import { createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { pictureFile, pictureOf } from '../support/schema-picture.js';
import { useDatabase } from '../support/use-database.js';

describeEach('tables', (engine) => {
  const databaseType = DATABASE_TYPES[engine];
  const database = useDatabase(engine, createEmptyDatabase);

  test.each([['tq_'], ['shop_jobs_']])('the migration makes the tables of the entities, prefix %s', async (prefix) => {
    const entities = tableQueueEntities(databaseType, { prefix });
    const dataSource = await database.connect({ entities });
    const queryRunner = dataSource.createQueryRunner();
    expect((await pendingChanges(dataSource)).length).toBeGreaterThan(0);
    await upTableQueue(queryRunner, { prefix });
    expect(await pendingChanges(dataSource)).toEqual([]);
    await upTableQueue(queryRunner, { prefix });
    await downTableQueue(queryRunner, { prefix });
    expect((await pendingChanges(dataSource)).length).toBeGreaterThan(0);
    await queryRunner.release();
    await dataSource.destroy();
  });

  test('the tables are as their picture shows them', async () => {
    const dataSource = await database.connect();
    const queryRunner = dataSource.createQueryRunner();
    await upTableQueue(queryRunner);
    const picture = await pictureOf(dataSource);
    if (process.env.TABLEQUEUE_WRITE_SCHEMA) {
      writeFileSync(pictureFile(engine), picture);
    }
    // After a change of the tables: npm run schema
    expect(picture).toBe(readFileSync(pictureFile(engine), 'utf8'));
    await downTableQueue(queryRunner);
    await queryRunner.release();
    await dataSource.destroy();
  });

  test('synchronize makes the same', async () => {
    const entities = tableQueueEntities(databaseType, { prefix: 'sync_' });
    const dataSource = await database.connect({ entities, synchronize: true });
    expect(await pendingChanges(dataSource)).toEqual([]);
    const { id } = await new TableQueue(dataSource).enqueue(defineJob('any'), undefined, { key: 'k' });
    expect(await new TableQueue(dataSource).findByKey('k')).toMatchObject([{ id }]);
    const queryRunner = dataSource.createQueryRunner();
    await downTableQueue(queryRunner, { prefix: 'sync_' });
    await queryRunner.release();
    await dataSource.destroy();
  });

  test('the entityPrefix of the data source is used', async () => {
    const dataSource = await database.connect({
      entities: tableQueueEntities(databaseType),
      entityPrefix: 'app_',
    });
    const queryRunner = dataSource.createQueryRunner();
    await upTableQueue(queryRunner);
    expect(await pendingChanges(dataSource)).toEqual([]);
    expect(await dataSource.query('SELECT COUNT(*) AS jobs FROM app_tq_job')).toHaveLength(1);
    await downTableQueue(queryRunner);
    await queryRunner.release();
    await dataSource.destroy();
  });
});

/** What `migration:generate` would write for the present tables. */
async function pendingChanges(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

import { expect, test } from '@jest/globals';
import { MissingTablesError, TableQueue, defineJob } from '@tablequeue/typeorm';
import type { DataSource, EntitySubscriberInterface, Logger } from 'typeorm';

import { describeEach } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';

const mail = defineJob('mail');
const INSERT = /^INSERT INTO \S*tq_job/;

describeEach(
  'statements of the queue on the connections of the application',
  (engine) => {
    const database = useDatabase(engine);

    const enqueueOn = async (dataSource: DataSource) => {
      const { id } = await new TableQueue(dataSource).enqueue(mail);
      expect(await new TableQueue(dataSource).find(id)).toMatchObject({ state: 'ready' });
    };

    test('are in its query log, where it has one', async () => {
      const logged: string[] = [];
      const logger = {
        logQuery: (sql: string) => void logged.push(sql),
        logQueryError: () => undefined,
        logQuerySlow: () => undefined,
        logSchemaBuild: () => undefined,
        logMigration: () => undefined,
        log: () => undefined,
      } satisfies Logger;
      await enqueueOn(await database.connect({ logging: true, logger }));
      expect(logged.filter((sql) => INSERT.test(sql))).toHaveLength(1);
    });

    test('reach its subscribers, if there are any', async () => {
      const dataSource = await database.connect();
      const seen: string[] = [];
      const subscriber: EntitySubscriberInterface = { beforeQuery: ({ query }) => void seen.push(query) };
      dataSource.subscribers.push(subscriber);
      await enqueueOn(dataSource);
      expect(seen.filter((sql) => INSERT.test(sql))).toHaveLength(1);
    });

    test('fail with a cause that shows the statement and where it came from, seen or not', async () => {
      for (const extra of [{}, { maxQueryExecutionTime: 60_000 }]) {
        const dataSource = await database.connect(extra);
        await dataSource.query('ALTER TABLE tq_job RENAME COLUMN payload TO content');
        try {
          const failed: unknown = await new TableQueue(dataSource).enqueue(mail).catch((error: unknown) => error);
          expect(failed).toBeInstanceOf(MissingTablesError);
          const { cause } = failed as MissingTablesError;
          expect(cause).toMatchObject({ name: 'QueryFailedError', driverError: { errno: 1054 } });
          expect(cause).toMatchObject({
            query: expect.stringMatching(INSERT),
            // The values are payloads and keys: see security/secrets.
            parameters: [],
          });
          expect((cause as Error).stack).toContain('enqueuer');
        } finally {
          await dataSource.query('ALTER TABLE tq_job RENAME COLUMN content TO payload');
        }
      }
    });
  },
  ['mariadb', 'mysql'],
);

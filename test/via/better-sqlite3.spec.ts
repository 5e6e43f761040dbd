import { betterSqlite3Transaction } from '@tablequeue/typeorm/better-sqlite3';
import Database from 'better-sqlite3';

import { describeClient } from './client.suite.js';

describeClient(
  {
    name: 'better-sqlite3',
    reportsEnd: true,
    connect({ url }) {
      const database = new Database(url);
      database.defaultSafeIntegers(true);
      return {
        async transaction(work) {
          database.exec('BEGIN IMMEDIATE');
          try {
            const result = await work({
              via: () => betterSqlite3Transaction(database),
              run: async (sql) => database.exec(sql),
            });
            database.exec('COMMIT');
            return result;
          } catch (error) {
            database.exec('ROLLBACK');
            throw error;
          }
        },
        close: async () => void database.close(),
      };
    },
  },
  ['sqlite'],
);

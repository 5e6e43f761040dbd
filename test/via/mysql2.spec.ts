import { mysql2Transaction } from '@tablequeue/typeorm/mysql2';
import mysql from 'mysql2';

import { describeClient } from './client.suite.js';

const ENGINES = ['mariadb', 'mariadb118', 'mysql'] as const;

describeClient(
  {
    name: 'mysql2',
    reportsEnd: true,
    connect({ url }) {
      // Options that change results and statements of the application.
      const pool = mysql
        .createPool({ uri: url, connectionLimit: 2, namedPlaceholders: true, rowsAsArray: true, dateStrings: true })
        .promise();
      return {
        async transaction(work) {
          const connection = await pool.getConnection();
          try {
            await connection.beginTransaction();
            const result = await work({
              via: () => mysql2Transaction(connection),
              run: (sql) => connection.query(sql),
            });
            await connection.commit();
            return result;
          } catch (error) {
            await connection.rollback();
            throw error;
          } finally {
            connection.release();
          }
        },
        close: () => pool.end(),
      };
    },
  },
  ENGINES,
);

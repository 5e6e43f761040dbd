import { expect, test } from '@jest/globals';
import { InvalidOptionError } from '@tablequeue/typeorm';
import { sequelizeTransaction } from '@tablequeue/typeorm/sequelize';
import { Sequelize, type Transaction } from 'sequelize';

import { describeClient } from './client.suite.js';

describeClient(
  {
    name: 'Sequelize',
    reportsEnd: true,
    connect({ url }) {
      const database = new Sequelize(url, {
        dialect: 'mysql',
        logging: false,
        pool: { min: 0, max: 2 },
      });
      return {
        transaction: (work) =>
          database.transaction((transaction) =>
            work({
              via: () => sequelizeTransaction(transaction),
              run: (sql) => database.query(sql, { transaction }),
            }),
          ),
        close: () => database.close(),
      };
    },
  },
  ['mariadb', 'mariadb118', 'mysql'],
);

test.each([undefined, {}, { sequelize: { getDialect: () => 'mariadb' }, connection: {} }])(
  'sequelizeTransaction refuses %j',
  (transaction) => {
    expect(() => sequelizeTransaction(transaction as unknown as Transaction)).toThrow(InvalidOptionError);
  },
);

import { knexTransaction } from '@tablequeue/typeorm/knex';
import knex from 'knex';

import { describeClient } from './client.suite.js';

describeClient(
  {
    name: 'Knex',
    reportsEnd: true,
    connect({ url }) {
      const database = knex({
        client: 'mysql2',
        connection: url,
        pool: { min: 0, max: 2 },
        // As mappers of names do: the queue must not see it.
        postProcessResponse: () => 'changed by the application',
      });
      return {
        transaction: (work) =>
          database.transaction((trx) => work({ via: () => knexTransaction(trx), run: (sql) => trx.raw(sql) })),
        close: () => database.destroy(),
      };
    },
  },
  ['mariadb', 'mariadb118', 'mysql'],
);

import { EntitySchema, MikroORM } from '@mikro-orm/mysql';
import { knexTransaction } from '@tablequeue/typeorm/knex';
import type { Knex } from 'knex';

import { describeClient } from './client.suite.js';

const Note = new EntitySchema<{ id: number; text: string }>({
  name: 'MikroNote',
  tableName: 'note',
  properties: { id: { type: 'number', primary: true }, text: { type: 'string' } },
});

describeClient(
  {
    name: 'Knex',
    title: 'MikroORM 6',
    reportsEnd: true,
    async connect({ url }) {
      const dbName = new URL(url).pathname.slice(1);
      const orm = await MikroORM.init({ entities: [Note], clientUrl: url, dbName, pool: { min: 0, max: 2 } });
      return {
        transaction: (work) =>
          orm.em.transactional((em) =>
            work({
              via: () => knexTransaction(em.getTransactionContext<Knex.Transaction>()!),
              run: (sql) => em.getConnection().execute(sql, [], 'run', em.getTransactionContext()),
            }),
          ),
        close: () => orm.close(),
      };
    },
  },
  ['mariadb', 'mariadb118', 'mysql'],
);

import { kyselyTransaction } from '@tablequeue/typeorm/kysely';
import { CamelCasePlugin, CompiledQuery, Kysely, MysqlDialect } from 'kysely';
import { createPool } from 'mysql2';

import { describeClient } from './client.suite.js';

describeClient(
  {
    name: 'Kysely',
    reportsEnd: true,
    connect({ url }) {
      const database = new Kysely<Record<string, never>>({
        dialect: new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: 2 }) }),
        plugins: [new CamelCasePlugin()],
      });
      return {
        transaction: (work) =>
          database.transaction().execute((trx) =>
            work({
              via: () => kyselyTransaction(trx),
              run: (sql) => trx.executeQuery(CompiledQuery.raw(sql)),
            }),
          ),
        close: () => database.destroy(),
      };
    },
  },
  ['mariadb', 'mariadb118', 'mysql'],
);

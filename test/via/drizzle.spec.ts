import { drizzleTransaction } from '@tablequeue/typeorm/drizzle';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import { createPool } from 'mysql2/promise';

import { describeClient } from './client.suite.js';

describeClient(
  {
    name: 'Drizzle',
    reportsEnd: true,
    connect({ url }) {
      const pool = createPool({ uri: url, connectionLimit: 2 });
      const database = drizzle({ client: pool });
      return {
        transaction: (work) =>
          database.transaction((tx) =>
            work({ via: () => drizzleTransaction(tx), run: (text) => tx.execute(sql.raw(text)) }),
          ),
        close: () => pool.end(),
      };
    },
  },
  ['mariadb', 'mariadb118', 'mysql'],
);

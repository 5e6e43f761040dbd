import { tableQueueEntities } from '@tablequeue/typeorm';
import { defineConfig, env } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: env('DATABASE_URL') },
  // `tablequeue migrate` creates the tables of the queue. Prisma must not drop them.
  experimental: { externalTables: true },
  tables: { external: tableQueueEntities('mariadb').map(({ options }) => options.tableName!) },
});

import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** Returns the data source of a manager or a query runner. TypeORM 0.3 names the property `connection`. */
export function dataSourceOf(owner: EntityManager | QueryRunner): DataSource {
  const { dataSource, connection } = owner as { readonly dataSource?: DataSource; readonly connection: DataSource };
  return dataSource ?? connection;
}

import type { DataSource, EntityManager, EntityMetadata, QueryRunner } from 'typeorm';

/** Returns the data source of an object of TypeORM. TypeORM 0.3 names the property `connection`. */
export function dataSourceOf(owner: EntityManager | QueryRunner | EntityMetadata): DataSource {
  const { dataSource, connection } = owner as { readonly dataSource?: DataSource; readonly connection: DataSource };
  return dataSource ?? connection;
}

import { type EntityMetadata, EntitySchema, type EntitySchemaOptions } from 'typeorm';

import { type ColumnTypes, type QueueDatabaseType, columnTypes } from './column-types.js';

/** The partitions of the history: by the day, in UTC, on which a job finished. */
export type HistoryPartition = 'day';

export interface Table<Row extends object> {
  readonly entity: new () => Row;
  schema(databaseType: QueueDatabaseType, prefix: string, partition?: HistoryPartition): EntitySchema<Row>;
}

interface TableDefinition<Row> {
  readonly columns: EntitySchemaOptions<Row>['columns'];
  /** The columns of each index, by the end of its name. */
  readonly indices?: Readonly<Record<string, (keyof Row & string)[]>>;
}

/** @param name the name of the table without its prefix. */
export function defineTable<Row extends object>(
  entity: new () => Row,
  name: string,
  define: (types: ColumnTypes, partition: HistoryPartition | undefined) => TableDefinition<Row>,
): Table<Row> {
  return {
    entity,
    schema(databaseType, prefix, partition) {
      const { columns, indices = {} } = define(columnTypes[databaseType], partition);
      const tableName = `${prefix}${name}`;
      return new EntitySchema<Row>({
        name: entity.name,
        target: entity,
        tableName,
        columns,
        indices: Object.entries(indices).map(([end, of]) => ({
          name: `${tableName}_${end}`,
          columns: createdOnce(of),
        })),
      });
    },
  };
}

/**
 * The columns of an index, as the function that TypeORM calls on the index. A data source may have the entity twice:
 * given, and loaded by @nestjs/typeorm. It then lists each index twice, and `synchronize` would create both.
 */
function createdOnce(columns: string[]): () => string[] {
  return function (this: EntityMetadata['indices'][number] | undefined) {
    const first = this?.entityMetadata?.indices.find(({ givenName }) => givenName === this.givenName);
    if (this && first !== undefined && first !== this) {
      this.synchronize = false;
    }
    return columns;
  };
}

import { type EntityMetadata, EntitySchema, type EntitySchemaOptions } from 'typeorm';

import { dataSourceOf } from '../engine/data-source-of.js';
import { EntityError } from '../errors/index.js';
import { type ColumnTypes, type QueueDatabaseType, columnTypes } from './column-types.js';

export interface Table<Row extends object> {
  readonly entity: new () => Row;
  schema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<Row>;
}

interface TableDefinition<Row> {
  readonly columns: EntitySchemaOptions<Row>['columns'];
  /** The columns of each index, by the end of its name. */
  readonly indices?: Readonly<Record<string, (keyof Row & string)[]>>;
  /** The same for unique indexes. */
  readonly uniques?: Readonly<Record<string, (keyof Row & string)[]>>;
}

/** @param name the name of the table without its prefix. */
export function defineTable<Row extends object>(
  entity: new () => Row,
  name: string,
  define: (types: ColumnTypes) => TableDefinition<Row>,
): Table<Row> {
  return {
    entity,
    schema(databaseType, prefix) {
      const { columns, indices = {}, uniques = {} } = define(columnTypes[databaseType]);
      const tableName = `${prefix}${name}`;
      return new EntitySchema<Row>({
        name: entity.name,
        target: entity,
        tableName,
        columns,
        indices: [indices, uniques].flatMap((all) =>
          Object.entries(all).map(([end, of]) => ({
            name: `${tableName}_${end}`,
            columns: columnsOfIndex(of, databaseType),
            unique: all === uniques,
          })),
        ),
      });
    },
  };
}

/** What TypeORM knows of an index. Its type is not exported. */
type Index = EntityMetadata['indices'][number];

/**
 * The columns of an index, as the function that TypeORM calls on the index while it reads the entities. This is the
 * first call that sees the data source, and TypeORM's own error about a column type would not name the option.
 */
function columnsOfIndex(columns: string[], databaseType: QueueDatabaseType): () => string[] {
  return function (this: Index | undefined) {
    if (this?.entityMetadata) {
      assertMadeFor(databaseType, dataSourceOf(this.entityMetadata).options.type);
      createOnce(this);
    }
    return columns;
  };
}

/** @throws EntityError for entities of SQLite on a server, and the reverse. */
function assertMadeFor(databaseType: QueueDatabaseType, type: string): void {
  if (type in columnTypes && (type === 'better-sqlite3') !== (databaseType === 'better-sqlite3')) {
    throw new EntityError(
      `The queue's entities were made for "${databaseType}", but the data source is "${type}". Use ` +
        `tableQueueEntities('${type}'), or databaseType: '${type}' in TableQueueModule.`,
    );
  }
}

/**
 * A data source may have the entity twice: given, and loaded by @nestjs/typeorm. It then lists each index twice, and
 * `synchronize` would create both.
 */
function createOnce(index: Index): void {
  const first = index.entityMetadata.indices.find(({ givenName }) => givenName === index.givenName);
  if (first !== index) {
    index.synchronize = false;
  }
}

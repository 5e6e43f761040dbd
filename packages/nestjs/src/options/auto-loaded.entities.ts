import { TypeOrmModule } from '@nestjs/typeorm';
import { tableQueueEntities } from '@tablequeue/typeorm';
import { dataSourceOf } from '@tablequeue/typeorm/internal';
import { type EntityMetadata, EntitySchema, type EntitySchemaOptions } from 'typeorm';

import type { ResolvedModuleExtras } from './table-queue.extras.js';

/** By the name of the data source. */
const loaded = new Map<string, readonly EntitySchema[]>();

/** Called when a data source of a type refuses the entities. */
type OnRefused = (error: unknown, type: string) => void;

/**
 * Adds the queue's entities to a data source with `autoLoadEntities`. Throws what `tableQueueEntities` throws.
 *
 * @nestjs/typeorm keeps entities by the data source's name, for all applications of the process. A second
 * application may have another prefix or type of database under the same name. So each name has one set of entities,
 * and it takes the options of the application that starts.
 */
export function autoLoadEntities(
  { dataSource, databaseType, prefix }: ResolvedModuleExtras,
  onRefused: OnRefused = () => undefined,
): void {
  const entities = tableQueueEntities(databaseType, { prefix });
  const wanted = entities.map(({ options }) => watched(options, onRefused));
  const known = loaded.get(dataSource);
  if (known) {
    known.forEach((schema, index) => {
      schema.options = wanted[index]!;
    });
    return;
  }
  const schemas = wanted.map((options) => new EntitySchema(options));
  loaded.set(dataSource, schemas);
  // Called for its side effect. The module it returns would only provide unused repositories.
  TypeOrmModule.forFeature(schemas, dataSource);
}

/** The columns of an index are a function, which TypeORM calls while it reads the entities: see `defineTable`. */
function watched(options: EntitySchemaOptions<unknown>, onRefused: OnRefused): EntitySchemaOptions<unknown> {
  const indices = options.indices?.map((index) => {
    const { columns } = index;
    if (typeof columns !== 'function') {
      return index;
    }
    return {
      ...index,
      columns(this: EntityMetadata['indices'][number], ...args: Parameters<typeof columns>) {
        try {
          return columns.apply(this, args);
        } catch (error) {
          onRefused(error, dataSourceOf(this.entityMetadata).options.type);
          throw error;
        }
      },
    };
  });
  return Object.assign({}, options, { indices });
}

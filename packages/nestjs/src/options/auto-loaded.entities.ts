import { TypeOrmModule } from '@nestjs/typeorm';
import { tableQueueEntities } from '@tablequeue/typeorm';
import { EntitySchema } from 'typeorm';

import type { ResolvedModuleExtras } from './table-queue.extras.js';

/** By the name of the data source. */
const loaded = new Map<string, readonly EntitySchema[]>();

/**
 * Adds the queue's entities to a data source with `autoLoadEntities`. Throws what `tableQueueEntities` throws.
 *
 * @nestjs/typeorm keeps entities by the data source's name, for all applications of the process. A second
 * application may have another prefix or type of database under the same name. So each name has one set of entities,
 * and it takes the options of the application that starts.
 */
export function autoLoadEntities({ dataSource, databaseType, prefix, partitionHistory }: ResolvedModuleExtras): void {
  const wanted = tableQueueEntities(databaseType, { prefix, partitionHistory });
  const known = loaded.get(dataSource);
  if (known) {
    known.forEach((schema, index) => {
      schema.options = wanted[index]!.options;
    });
    return;
  }
  const schemas = wanted.map(({ options }) => new EntitySchema(options));
  loaded.set(dataSource, schemas);
  // Called for its side effect. The module it returns would only provide unused repositories.
  TypeOrmModule.forFeature(schemas, dataSource);
}

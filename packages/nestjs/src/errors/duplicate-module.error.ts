import { TableQueueError } from '@tablequeue/typeorm';

import { describeDataSource } from '../options/data-source.name.js';

/**
 * An application imports `TableQueueModule` twice for one data source: both would claim jobs for the same handlers.
 * Another `prefix` makes no second queue, because a data source has one table name for each entity.
 */
export class DuplicateModuleError extends TableQueueError {
  constructor(
    /** The name of the data source. */
    readonly dataSource: string,
    /** The prefixes of the modules, each once. */
    readonly prefixes: readonly string[],
  ) {
    super(
      prefixes.length > 1
        ? `TableQueueModule is imported for ${describeDataSource(dataSource)} with the prefixes ` +
            `"${prefixes.join('" and "')}". A data source has one queue. Give the other prefix a data source of its ` +
            'own, which may connect to the same database.'
        : `TableQueueModule is imported more than once for ${describeDataSource(dataSource)}. Import it once, in the ` +
            'root module; or, for another data source, pass its name as the option "dataSource".',
    );
  }
}

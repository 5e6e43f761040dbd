import { TableQueueError } from '@tablequeue/typeorm';

import { DEFAULT_DATA_SOURCE, describeDataSource } from '../options/data-source.name.js';

/** `TableQueueModule` is for a data source that the application does not have. */
export class MissingDataSourceError extends TableQueueError {
  constructor(
    /** The name of the data source. */
    readonly dataSource: string,
    /** The names of those that there are. */
    readonly present: readonly string[],
  ) {
    const found = present.length > 0 ? `only ${present.map(describeDataSource).join(' and ')}` : 'none at all';
    const name = dataSource === DEFAULT_DATA_SOURCE ? '' : `, '${dataSource}'`;
    super(
      `TableQueueModule is for ${describeDataSource(dataSource)}, but this application has ${found}. Import ` +
        `TypeOrmModule.forRoot({ … }${name}), or name the right one: dataSource. ` +
        'With TypeOrmModule.forRootAsync the name stands beside useFactory, not in what that returns.',
    );
  }
}

import { TableQueueError } from '@tablequeue/typeorm';

import { DEFAULT_DATA_SOURCE, describeDataSource } from '../options/data-source.name.js';

/** `TableQueueModule` is for a data source that the application does not have. */
export class MissingDataSourceError extends TableQueueError {
  constructor(
    /** The name of the data source. */
    readonly dataSource: string,
    /** The names of the data sources of the application. */
    readonly present: readonly string[],
  ) {
    const found = present.length > 0 ? `only ${present.map(describeDataSource).join(' and ')}` : 'none at all';
    const name = dataSource === DEFAULT_DATA_SOURCE ? '' : `, '${dataSource}'`;
    super(
      `TableQueueModule is for ${describeDataSource(dataSource)}, but this application has ${found}. Import ` +
        `TypeOrmModule.forRoot({ … }${name}), or pass the right name as the option "dataSource". ` +
        'With TypeOrmModule.forRootAsync pass the name beside useFactory, not in the options it returns.',
    );
  }
}

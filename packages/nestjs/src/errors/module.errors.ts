import { TableQueueError } from '@tablequeue/typeorm';
import { brandError, seeDocs } from '@tablequeue/typeorm/internal';

import { DEFAULT_DATA_SOURCE, describeDataSource } from '../options/data-source.name.js';

/**
 * An application imports `TableQueueModule` twice for one data source: both would claim jobs for the same handlers.
 * Another `prefix` makes no second queue, because a data source has one table name for each entity.
 */
export class DuplicateModuleError extends TableQueueError {
  static {
    brandError(this, 'DuplicateModuleError');
  }

  constructor(
    /** The name of the data source. */
    readonly dataSource: string,
    /** The prefixes of the modules, each once. */
    readonly prefixes: readonly string[],
  ) {
    super(
      (prefixes.length > 1
        ? `TableQueueModule is imported for ${describeDataSource(dataSource)} with the prefixes ` +
          `"${prefixes.join('" and "')}". A data source has one queue. Give the other prefix a data source of its ` +
          'own, which may connect to the same database.'
        : `TableQueueModule is imported more than once for ${describeDataSource(dataSource)}. Import it once, in the ` +
          'root module; or, for another data source, pass its name as the option "dataSource".') +
        seeDocs('guides/several-data-sources.md'),
    );
  }
}

/** A handler is for the queue of a data source, or a provider injects it, and the application has no such queue. */
export class MissingModuleError extends TableQueueError {
  static {
    brandError(this, 'MissingModuleError');
  }

  constructor(
    /** What needs the queue, for the message. */
    who: string,
    /** The name of the data source. */
    readonly dataSource: string,
    /** The names of the data sources that have a queue. */
    readonly present: readonly string[],
  ) {
    const options = dataSource === DEFAULT_DATA_SOURCE ? '' : `{ dataSource: '${dataSource}', … }`;
    super(
      `${who} needs the queue of ${describeDataSource(dataSource)}, but this application has ${only(present)}. ` +
        `Import TableQueueModule.forRoot(${options})${present.length > 0 ? ' as well' : ''}, ` +
        "or name the right data source: @QueueHandler(definition, { dataSource }), @InjectTableQueue('…')." +
        seeDocs('start/quick-start-nest.md'),
    );
  }
}

function only(present: readonly string[]): string {
  return present.length === 0 ? 'none' : `only that of ${present.map(describeDataSource).join(' and that of ')}`;
}

/** `TableQueueModule` is for a data source that the application does not have. */
export class MissingDataSourceError extends TableQueueError {
  static {
    brandError(this, 'MissingDataSourceError');
  }

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
        'With TypeOrmModule.forRootAsync pass the name beside useFactory, not in the options it returns.' +
        seeDocs('guides/several-data-sources.md'),
    );
  }
}

/** The application has handlers but no `ScheduleModule`: nothing would retry jobs or free jobs of dead workers. */
export class MissingScheduleModuleError extends TableQueueError {
  static {
    brandError(this, 'MissingScheduleModuleError');
  }

  constructor() {
    super(
      'TableQueueModule needs the scheduler of @nestjs/schedule. Add ScheduleModule.forRoot() to the imports of your ' +
        'root module, exactly once.' +
        seeDocs('start/quick-start-nest.md'),
    );
  }
}

import { TableQueueError } from '@tablequeue/typeorm';

import { DEFAULT_DATA_SOURCE, describeDataSource } from '../options/data-source.name.js';

/** A handler is for the queue of a data source, or a provider injects it, and the application has no such queue. */
export class MissingModuleError extends TableQueueError {
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
        "or name the right data source: @QueueHandler(definition, { dataSource }), @InjectTableQueue('…').",
    );
  }
}

function only(present: readonly string[]): string {
  return present.length === 0 ? 'none' : `only that of ${present.map(describeDataSource).join(' and that of ')}`;
}

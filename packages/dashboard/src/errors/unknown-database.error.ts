import { TableQueueError } from '@tablequeue/typeorm';

/** `dataSources` of `DashboardModule` names one that has no queue, or there is no queue at all. */
export class UnknownDatabaseError extends TableQueueError {
  constructor(
    /** The name that was not found; undefined where there is no queue to show. */
    readonly dataSource: string | undefined,
    /** The names of the data sources that have a queue. */
    readonly present: readonly string[],
  ) {
    const found = present.length === 0 ? 'none' : `only ${present.map((name) => `"${name}"`).join(', ')}`;
    super(
      dataSource === undefined
        ? 'DashboardModule shows the queues of the application, but it has none. Import TableQueueModule.forRoot().'
        : `DashboardModule is to show the queue of the data source "${dataSource}", but this application has ${found}. ` +
            "Import TableQueueModule.forRoot({ dataSource: '…' }) for it, or correct `dataSources`.",
    );
  }
}

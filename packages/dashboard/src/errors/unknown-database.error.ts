import { TableQueueError } from '@tablequeue/typeorm';

/** `dataSources` of `DashboardModule` names a data source without a queue, or the application has no queue. */
export class UnknownDatabaseError extends TableQueueError {
  constructor(
    /** The name that was not found. Undefined if the application has no queue. */
    readonly dataSource: string | undefined,
    /** The names of the data sources that have a queue. */
    readonly present: readonly string[],
  ) {
    const found = present.length === 0 ? 'none' : `only ${present.map((name) => `"${name}"`).join(', ')}`;
    super(
      dataSource === undefined
        ? 'DashboardModule shows the queues of the application, but it has none. Import TableQueueModule.forRoot().'
        : `"${dataSource}" in dataSources of DashboardModule has no queue; this application has ${found}. ` +
            "Import TableQueueModule.forRoot({ dataSource: '…' }) for it, or correct `dataSources`.",
    );
  }
}

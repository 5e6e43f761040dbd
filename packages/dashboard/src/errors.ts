import { TableQueueError } from '@tablequeue/typeorm';
import { brandError, seeDocs } from '@tablequeue/typeorm/internal';

/**
 * `DashboardModule` has neither `guards` nor `public: true`: everyone who can reach the application would see its jobs.
 */
export class MissingGuardError extends TableQueueError {
  static {
    brandError(this, 'MissingGuardError');
  }

  constructor() {
    super(
      'DashboardModule has no guard, so everyone who can reach the application could see its jobs and payloads. ' +
        'Pass the guards of your application that check access: DashboardModule.forRoot({ guards: [AdminGuard] }). ' +
        'If a global guard checks access, or only trusted users can reach the application, set { public: true }.' +
        seeDocs('guides/dashboard.md'),
    );
  }
}

/** The files of the pages are not in the folder of the package, for example because the application was bundled. */
export class MissingPagesError extends TableQueueError {
  static {
    brandError(this, 'MissingPagesError');
  }

  constructor(
    /** The folder that was searched. */
    readonly folder: string,
    cause: unknown,
  ) {
    super(
      `The pages of the dashboard are not in ${folder}. Bundlers do not copy them: mark @tablequeue/dashboard as ` +
        'external. In the repository, run: npx nx build @tablequeue/dashboard.',
      { cause },
    );
  }
}

/** `dataSources` of `DashboardModule` names a data source without a queue, or the application has no queue. */
export class UnknownDatabaseError extends TableQueueError {
  static {
    brandError(this, 'UnknownDatabaseError');
  }

  constructor(
    /** The name that was not found. Undefined if the application has no queue. */
    readonly dataSource: string | undefined,
    /** The names of the data sources that have a queue. */
    readonly present: readonly string[],
  ) {
    const found = present.length === 0 ? 'none' : `only ${present.map((name) => `"${name}"`).join(', ')}`;
    super(
      (dataSource === undefined
        ? 'DashboardModule shows the queues of the application, but it has none. Import TableQueueModule.forRoot().'
        : `"${dataSource}" in dataSources of DashboardModule has no queue; this application has ${found}. ` +
          "Import TableQueueModule.forRoot({ dataSource: '…' }) for it, or correct `dataSources`.") +
        seeDocs('guides/dashboard.md'),
    );
  }
}

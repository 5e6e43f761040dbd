import { TableQueueError } from '@tablequeue/typeorm';

/** The files of the pages are not in the folder of the package, for example because the application was bundled. */
export class MissingPagesError extends TableQueueError {
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

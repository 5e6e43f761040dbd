import { TableQueueError } from '@tablequeue/typeorm';

/** The files of the pages are not where the package has them. */
export class MissingPagesError extends TableQueueError {
  constructor(
    /** The folder that was looked at. */
    readonly folder: string,
    cause: unknown,
  ) {
    super(
      `The pages of the dashboard are not in ${folder}. A bundler that moves code does not move them: leave ` +
        '@tablequeue/dashboard out of the bundle. In the repository: npx nx build @tablequeue/dashboard.',
      { cause },
    );
  }
}

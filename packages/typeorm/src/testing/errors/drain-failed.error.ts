import { brandError } from '../../errors/brand-error.js';
import { TableQueueError } from '../../errors/index.js';
import type { DrainedJob } from '../drained-job.js';

/** Handlers have failed in a drain, or were missing. Its `cause` is the error of the first of them. */
export class DrainFailedError extends TableQueueError {
  static {
    brandError(this, 'DrainFailedError');
  }

  constructor(
    /** All attempts of the drain, with those that succeeded. */
    readonly jobs: readonly DrainedJob[],
  ) {
    const failed = jobs.filter(({ error }) => error !== undefined);
    const lines = failed.map(({ name, id, attempt, outcome, error }) => {
      return `  ${name} (${id}), attempt ${attempt}, ${outcome}: ${error?.message}`;
    });
    super(
      `${failed.length} of ${jobs.length} attempts failed:\n${lines.join('\n')}\n` +
        "If the test expects failures, call drain({ failures: 'return' }).",
      { cause: failed[0]?.error },
    );
  }
}

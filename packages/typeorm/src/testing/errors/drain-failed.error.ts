import { TableQueueError } from '../../errors/index.js';
import type { DrainedJob } from '../drained-job.js';

/** Handlers have failed in a drain, or were missing. Its `cause` is what the first of them has thrown. */
export class DrainFailedError extends TableQueueError {
  constructor(
    /** Everything that ran, also what has succeeded. */
    readonly jobs: readonly DrainedJob[],
  ) {
    const failed = jobs.filter(({ error }) => error !== undefined);
    const lines = failed.map(({ name, id, attempt, outcome, error }) => {
      return `  ${name} (${id}), attempt ${attempt}, ${outcome}: ${error?.message}`;
    });
    super(
      `${failed.length} of ${jobs.length} runs failed:\n${lines.join('\n')}\n` +
        "If that is what the test is about: drain({ failures: 'return' }).",
      { cause: failed[0]?.error },
    );
  }
}

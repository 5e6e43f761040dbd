import { firstIdAt } from '../../../definition/job-id.js';

/** A position among the failed jobs, ordered by time and id. */
export interface FailureCursor {
  readonly finishedAt: number;
  readonly id: Buffer;
}

/** The first position at a time, in ms. */
export function firstFailureAt(time: number): FailureCursor {
  return { finishedAt: time, id: firstIdAt(0) };
}

/** Every failure is before this position. */
export const AFTER_ALL_FAILURES: FailureCursor = firstFailureAt(Number.MAX_SAFE_INTEGER);

/** Negative where the first position comes before the second. */
export function compareFailureCursors(a: FailureCursor, b: FailureCursor): number {
  return a.finishedAt - b.finishedAt || Buffer.compare(a.id, b.id);
}

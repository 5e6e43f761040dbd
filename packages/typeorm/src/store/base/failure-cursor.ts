import { firstIdAt } from '../../definition/job-id.js';

/** A place among the jobs that have failed for good, which stand in the order of time. */
export interface FailureCursor {
  readonly finishedAt: number;
  readonly id: Buffer;
}

/** The first place of a time, in ms. */
export function firstFailureAt(time: number): FailureCursor {
  return { finishedAt: time, id: firstIdAt(0) };
}

/** No failure has this place or one behind it. */
export const AFTER_ALL_FAILURES: FailureCursor = firstFailureAt(Number.MAX_SAFE_INTEGER);

/** Negative where the first place comes before the second. */
export function compareFailureCursors(a: FailureCursor, b: FailureCursor): number {
  return a.finishedAt - b.finishedAt || Buffer.compare(a.id, b.id);
}

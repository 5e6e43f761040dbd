import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence } from '../evidence/gathered-evidence.js';

/** A time during which a job certainly ran. */
export interface Interval {
  readonly job: JobEvidence;
  readonly process: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the intervals in which the matching jobs certainly ran and counted, ordered by start. */
export function certainIntervals(evidence: Evidence, matches: (job: JobEvidence) => boolean): Interval[] {
  return (
    [...evidence.all.jobs.values()]
      .filter(matches)
      .flatMap((job) =>
        job.calls.map((call) => ({
          job,
          process: call.process,
          from: call.from,
          to: evidence.certainEndOf(job, call),
        })),
      )
      // A call counts for nothing if its job may have been taken over before it started.
      .filter(({ from, to }) => from < to)
      .sort((a, b) => a.from - b.from)
  );
}

/**
 * Returns the sets of more than `limit` intervals that overlap: one set for each interval that starts above the limit.
 */
export function findOverlaps(intervals: readonly Interval[], limit: number): Interval[][] {
  let open: Interval[] = [];
  const found: Interval[][] = [];
  for (const interval of intervals) {
    open = open.filter(({ to }) => to > interval.from);
    open.push(interval);
    if (open.length > limit) {
      found.push([...open]);
    }
  }
  return found;
}

import { LIMIT, isOrdered, limitedJob } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';
import { certainIntervals, findOverlaps } from './overlaps.js';

/** Across all processes. A handler starts after the claim of its job, and ends before its outcome is stored. */
export const limitsKept: Invariant = {
  name: 'limits-kept',
  guarantee: 'A limited queue never ran more jobs at a time than its limit.',
  check(evidence) {
    const kinds = new Set([...evidence.all.jobs.values()].map(({ kind }) => kind));
    return [...kinds].flatMap((kind) => {
      const limit = kind === limitedJob.name ? LIMIT : isOrdered(kind) ? 1 : Infinity;
      const intervals = limit === Infinity ? [] : certainIntervals(evidence, (job) => job.kind === kind);
      return findOverlaps(intervals, limit).map((overlap) => ({
        text: `${overlap.length} jobs (${kind}) ran at the same time, but the limit is ${limit}.`,
        ids: overlap.map(({ job }) => job.id),
      }));
    });
  },
};

import { groupBy } from '@tablequeue/typeorm/internal';

import type { Invariant } from './invariant.js';
import { certainIntervals, findOverlaps } from './overlaps.js';

/** A unique key is held until its job has ended. */
export const uniqueAlone: Invariant = {
  name: 'unique-alone',
  guarantee: 'Two jobs with the same unique key never ran at the same time.',
  check(evidence) {
    const byKey = groupBy(
      certainIntervals(evidence, ({ key }) => key !== undefined),
      ({ job }) => job.key,
    );
    return [...byKey].flatMap(([key, intervals]) =>
      findOverlaps(intervals, 1).map((overlap) => ({
        text: `Jobs with the unique key "${key}" ran at the same time, in ${overlap.map(({ process }) => process).join(' and ')}.`,
        ids: overlap.map(({ job }) => job.id),
      })),
    );
  },
};

import { groupBy } from '@tablequeue/typeorm/internal';
import { certainSpans, crowds } from './overlaps.js';
import type { Invariant } from './invariant.js';

/** The key is taken until the job has ended. */
export const uniqueAlone: Invariant = {
  name: 'unique-alone',
  promise: 'No two jobs with the same unique key have run at the same time.',
  check(evidence) {
    const byKey = groupBy(
      certainSpans(evidence, ({ key }) => key !== undefined),
      ({ job }) => job.key,
    );
    return [...byKey].flatMap(([key, spans]) =>
      crowds(spans, 1).map((crowd) => ({
        text: `Jobs with the unique key "${key}" ran at the same time, in ${crowd.map(({ process }) => process).join(' and ')}.`,
        ids: crowd.map(({ job }) => job.id),
      })),
    );
  },
};

import { LIMIT, isOrdered, limitedJob } from '../workload/definitions.js';
import { certainSpans, crowds } from './overlaps.js';
import type { Invariant } from './invariant.js';

/** Over all processes. A handler begins after its job was claimed and ends before it is written down as ended. */
export const limitsKept: Invariant = {
  name: 'limits-kept',
  promise: 'Of a limited queue no more jobs have run at the same time than its limit allows.',
  check(evidence) {
    const kinds = new Set([...evidence.all.jobs.values()].map(({ kind }) => kind));
    return [...kinds].flatMap((kind) => {
      const limit = kind === limitedJob.name ? LIMIT : isOrdered(kind) ? 1 : Infinity;
      const spans = limit === Infinity ? [] : certainSpans(evidence, (job) => job.kind === kind);
      return crowds(spans, limit).map((crowd) => ({
        text: `${crowd.length} jobs (${kind}) ran at the same time, but the limit is ${limit}.`,
        ids: crowd.map(({ job }) => job.id),
      }));
    });
  },
};

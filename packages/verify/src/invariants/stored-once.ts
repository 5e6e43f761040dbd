import { groupBy } from '@tablequeue/typeorm/internal';

import type { Invariant, Violation } from './invariant.js';

/** An enqueue without an answer is repeated. The repetition must find the job that the first try stored. */
export const storedOnce: Invariant = {
  name: 'stored-once',
  guarantee: 'Each enqueue stored at most one job, under the id it returned.',
  check({ all }) {
    const violations: Violation[] = [];
    for (const [token, jobs] of groupBy(all.jobs.values(), (job) => job.token)) {
      const { id, kind } = jobs[0];
      const enqueue = all.enqueues.get(token);
      if (jobs.length > 1) {
        violations.push({
          text: `An enqueue (${kind}) stored ${jobs.length} jobs.`,
          ids: jobs.map((job) => job.id),
        });
      } else if (enqueue?.id !== undefined && enqueue.id !== id) {
        const result = enqueue.created ? 'the id' : 'the existing job';
        violations.push({
          text: `An enqueue (${kind}) returned ${result} ${enqueue.id}, but stored another job.`,
          ids: [id],
        });
      }
    }
    return violations;
  },
};

import { groupBy } from '@tablequeue/typeorm/internal';
import type { Invariant, Violation } from './invariant.js';

/** An enqueue whose answer was lost is repeated: the repetition has to find what the first one has stored. */
export const storedOnce: Invariant = {
  name: 'stored-once',
  promise: 'Each enqueue has stored one job at most, and that under the id it has returned.',
  check({ all }) {
    const violations: Violation[] = [];
    for (const [token, jobs] of groupBy(all.jobs.values(), (job) => job.token)) {
      const { id, kind } = jobs[0];
      const act = all.enqueues.get(token);
      if (jobs.length > 1) {
        violations.push({
          text: `An enqueue (${kind}) has stored ${jobs.length} jobs.`,
          ids: jobs.map((job) => job.id),
        });
      } else if (act?.id !== undefined && act.id !== id) {
        const told = act.created ? `has returned the id ${act.id}` : `was kept out by ${act.id}, as it has returned,`;
        violations.push({ text: `An enqueue (${kind}) ${told} and has stored another job.`, ids: [id] });
      }
    }
    return violations;
  },
};

import { isOwn } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';

/** How long a job may wait that its own process runs, in ms. That looks for jobs by itself every 20 s only. */
const LONGEST = 1_500;

/** A producer runs some of its jobs itself. It has to be told of them, and only when they can be seen. */
export const wokenInTime: Invariant = {
  name: 'woken-in-time',
  promise: `A worker begins with a job that its own process has committed within ${LONGEST / 1000} s.`,
  check: (evidence) =>
    [...evidence.all.enqueues.values()].flatMap(({ token, kind, transaction, process }) => {
      const committedAt = evidence.all.transactions.get(transaction ?? '')?.committedAt;
      const job = isOwn(kind) && committedAt !== undefined ? evidence.byToken.get(token) : undefined;
      const first = job?.calls[0];
      if (!job || !first || committedAt === undefined || first.from - committedAt <= LONGEST) {
        return [];
      }
      return evidence.faultThatAllows('delay', process, committedAt, first.from)
        ? []
        : [
            {
              text: `${process} began with a job of its own ${Math.round(first.from - committedAt)} ms after it was committed.`,
              ids: [job.id],
            },
          ];
    }),
};

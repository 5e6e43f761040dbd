import { isOwn } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';

/**
 * How long a job may wait in the process that enqueued it, in ms. Far below the poll interval of that process, 20 s.
 */
const LONGEST = 1_500;

/** A producer runs some of its jobs itself. Its worker must be notified of them, and not before the commit. */
export const wokenInTime: Invariant = {
  name: 'woken-in-time',
  guarantee: `A worker starts a job that its own process committed within ${LONGEST / 1000} s.`,
  check: (evidence) =>
    [...evidence.all.enqueues.values()].flatMap(({ token, kind, transaction, process }) => {
      const committedAt = evidence.all.transactions.get(transaction ?? '')?.committedAt;
      const job = isOwn(kind) && committedAt !== undefined ? evidence.byToken.get(token) : undefined;
      const first = job?.calls[0];
      if (!job || !first || committedAt === undefined || first.from - committedAt <= LONGEST) {
        return [];
      }
      const delay = Math.round(first.from - committedAt);
      return evidence.faultThatAllows('delay', process, committedAt, first.from)
        ? []
        : [{ text: `${process} started a job of its own ${delay} ms after the commit.`, ids: [job.id] }];
    }),
};

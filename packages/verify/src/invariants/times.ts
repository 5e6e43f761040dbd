import { isOwn } from '../workload/definitions.js';
import type { Invariant, Violation } from './invariant.js';

/**
 * Both times are of the database's clock, so a wrong clock of a worker does not matter. A job that became ready while
 * the database's clock was ahead may be claimed after the clock was set back.
 */
export const notBeforeDue: Invariant = {
  name: 'not-before-due',
  guarantee: 'No job was claimed before it was due.',
  check: (evidence) =>
    [...evidence.all.jobs.values()].flatMap(({ id, kind, final, calls }) => {
      const early = final?.claimedAt == null ? 0 : final.runAt - final.claimedAt;
      if (early <= 0 || evidence.isOfClock(early)) {
        return [];
      }
      const { from = 0, to = Infinity } = calls.find(({ attempt }) => attempt === final?.attempt) ?? {};
      return evidence.faultThatAllows('clock', undefined, from, to)
        ? []
        : [{ text: `A job (${kind}) was claimed ${early} ms before it was due.`, ids: [id] }];
    }),
};

/** How long an enqueue may take without a fault, in ms. The locks of workers are much shorter. */
const LONGEST_ENQUEUE = 5_000;

/** Workers never block an enqueue. */
export const enqueuesInTime: Invariant = {
  name: 'enqueues-in-time',
  guarantee: `No enqueue took longer than ${LONGEST_ENQUEUE / 1000} s, or failed, without a fault.`,
  check(evidence) {
    const violations: Violation[] = [];
    for (const { token, kind, process, from, to = from, id, error } of evidence.all.enqueues.values()) {
      const isLate = to - from > LONGEST_ENQUEUE;
      if ((isLate || error !== undefined) && !evidence.faultThatAllows('delay', process, from, to)) {
        const result = error === undefined ? `took ${Math.round(to - from)} ms` : `failed: ${error}`;
        violations.push({ text: `An enqueue (${kind}) of ${process} ${result}.`, ids: [id ?? token] });
      }
    }
    // A broken connection is noticed by the next statement of the transaction, at the latest by its COMMIT.
    for (const [transaction, { error, from, rolledBackAt = from }] of evidence.all.transactions) {
      const process = transaction.split('!', 1)[0];
      if (error !== undefined && !evidence.faultThatAllows('delay', process, from, rolledBackAt)) {
        violations.push({ text: `A transaction of ${process} failed: ${error}.`, ids: [] });
      }
    }
    return violations;
  },
};

/**
 * How long a job may wait in the process that enqueued it, in ms. Far below the poll interval of that process, 20 s.
 */
const LONGEST_WAIT = 1_500;

/** A producer runs some of its jobs itself. Its worker must be notified of them, and not before the commit. */
export const wokenInTime: Invariant = {
  name: 'woken-in-time',
  guarantee: `A worker starts a job that its own process committed within ${LONGEST_WAIT / 1000} s.`,
  check: (evidence) =>
    [...evidence.all.enqueues.values()].flatMap(({ token, kind, transaction, process }) => {
      const committedAt = evidence.all.transactions.get(transaction ?? '')?.committedAt;
      const job = isOwn(kind) && committedAt !== undefined ? evidence.byToken.get(token) : undefined;
      const first = job?.calls[0];
      if (!job || !first || committedAt === undefined || first.from - committedAt <= LONGEST_WAIT) {
        return [];
      }
      const delay = Math.round(first.from - committedAt);
      return evidence.faultThatAllows('delay', process, committedAt, first.from)
        ? []
        : [{ text: `${process} started a job of its own ${delay} ms after the commit.`, ids: [job.id] }];
    }),
};

import type { Invariant, Violation } from './invariant.js';

/** How long an enqueue may take without a fault, in ms. The locks of workers are much shorter. */
const LONGEST = 5_000;

/** Workers never block an enqueue. */
export const enqueuesInTime: Invariant = {
  name: 'enqueues-in-time',
  guarantee: `No enqueue took longer than ${LONGEST / 1000} s, or failed, without a fault.`,
  check(evidence) {
    const violations: Violation[] = [];
    for (const { token, kind, process, from, to = from, id, error } of evidence.all.enqueues.values()) {
      const isLate = to - from > LONGEST;
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

import type { Invariant, Violation } from './invariant.js';

/** How long an enqueue may take where nothing stands in its way, in ms. Workers hold no lock for anything like it. */
const LONGEST = 5_000;

/** Nothing that workers do keeps those waiting who enqueue. */
export const enqueuesInTime: Invariant = {
  name: 'enqueues-in-time',
  promise: `No enqueue has waited for more than ${LONGEST / 1000} s, or failed, but where a fault stood in its way.`,
  check(evidence) {
    const violations: Violation[] = [];
    for (const { token, kind, process, from, to = from, id, error } of evidence.all.enqueues.values()) {
      const isLate = to - from > LONGEST;
      if ((isLate || error !== undefined) && !evidence.faultThatAllows('delay', process, from, to)) {
        violations.push({
          text: `An enqueue (${kind}) of ${process} ${error === undefined ? `took ${Math.round(to - from)} ms` : `failed: ${error}`}.`,
          ids: [id ?? token],
        });
      }
    }
    // A connection that has broken in the middle of a transaction is noticed by what comes next in it, at the latest its COMMIT.
    for (const [transaction, { error, from, rolledBackAt = from }] of evidence.all.transactions) {
      const process = transaction.split('!', 1)[0];
      if (error !== undefined && !evidence.faultThatAllows('delay', process, from, rolledBackAt)) {
        violations.push({ text: `A transaction of ${process} failed: ${error}.`, ids: [] });
      }
    }
    return violations;
  },
};

import { groupBy } from '@tablequeue/typeorm/internal';
import { isOrdered } from '../workload/definitions.js';
import type { Invariant, Violation } from './invariant.js';

/**
 * The jobs of a queue that is limited to one at a time begin in the order of their enqueues, where each of these had
 * returned before the next was made. Those whose first attempt nobody has noted were claimed by a worker that died then:
 * they come when they are found. And one whose row somebody holds is passed over. A Galera cluster promises none of it:
 * claims on several nodes do not wait for one another, and named locks hold within one.
 */
export const inOrder: Invariant = {
  name: 'in-order',
  promise: 'The jobs of a queue limited to one at a time begin in the order in which they were enqueued.',
  isPromised: ({ all }) => !all.isGalera,
  check(evidence) {
    const { all, byToken } = evidence;
    const violations: Violation[] = [];
    const byProducer = groupBy(
      [...all.enqueues.values()].filter(({ kind, created }) => isOrdered(kind) && created),
      ({ process }) => process,
    );
    for (const acts of byProducer.values()) {
      let last: { readonly from: number; readonly place: number; readonly id: string } | undefined;
      for (const { token, place = 0 } of acts.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))) {
        const job = byToken.get(token);
        const first = job?.calls[0];
        if (first?.attempt === 1) {
          if (!last || first.from > last.from) {
            last = { from: first.from, place, id: job!.id };
          } else if (!evidence.faultThatAllows('order', undefined, first.from, last.from)) {
            violations.push({
              text: `Job number ${place} of a queue in order began before number ${last.place}.`,
              ids: [job!.id, last.id],
            });
          }
        }
      }
    }
    return violations;
  },
};

import { groupBy } from '@tablequeue/typeorm/internal';

import { isOrdered } from '../workload/definitions.js';
import type { Invariant, Violation } from './invariant.js';

/**
 * Compares only jobs whose enqueues did not overlap, and leaves out two cases. A job without a recorded first attempt
 * was claimed by a worker that died, so it starts when it is found. A job with a locked row is skipped. Galera does not
 * give the guarantee: claims on several nodes do not wait for one another, and named locks are local to a node.
 */
export const inOrder: Invariant = {
  name: 'in-order',
  guarantee: 'The jobs of a queue limited to one at a time start in the order of their enqueues.',
  applies: ({ all }) => !all.isGalera,
  check(evidence) {
    const { all, byToken } = evidence;
    const violations: Violation[] = [];
    const byProducer = groupBy(
      [...all.enqueues.values()].filter(({ kind, created }) => isOrdered(kind) && created),
      ({ process }) => process,
    );
    for (const enqueues of byProducer.values()) {
      let last: { readonly from: number; readonly sequence: number; readonly id: string } | undefined;
      for (const { token, sequence = 0 } of enqueues.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))) {
        const job = byToken.get(token);
        const first = job?.calls[0];
        if (first?.attempt === 1) {
          if (!last || first.from > last.from) {
            last = { from: first.from, sequence, id: job!.id };
          } else if (!evidence.faultThatAllows('order', undefined, first.from, last.from)) {
            violations.push({
              text: `Job number ${sequence} of a queue in order started before number ${last.sequence}.`,
              ids: [job!.id, last.id],
            });
          }
        }
      }
    }
    return violations;
  },
};

import type { ReadFacts } from '../facts.js';
import { type FoundProblem, counted, named, problem } from '../problem.js';

/** Groups have lost rows of their members. */
export function incompleteGroups({ readings: { incomplete: ids = [] } }: ReadFacts): FoundProblem[] {
  return ids.length === 0
    ? []
    : [
        problem({
          kind: 'incomplete-groups',
          severity: 'warning',
          message: `Rows of members are lost in ${counted(ids.length, 'group')}: ${named(ids)}`,
          count: ids.length,
          examples: ids,
          harm: 'Their callbacks do not run.',
          action:
            'Wait for the pruner, which restores the rows of unfinished members. Then check whether the others have ' +
            'succeeded, cancel the waiting callbacks that groups.find shows, and retry those that must run.',
        }),
      ];
}

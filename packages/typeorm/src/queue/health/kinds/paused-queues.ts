import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, longest, named, problem } from '../problem.js';

/** Jobs are due in paused queues. */
export function pausedQueues({ readings: { backlog } }: ReadFacts): FoundProblem[] {
  const paused = backlog
    .flatMap(({ queue, pausedFor }) => (pausedFor === undefined ? [] : { queue, pausedFor }))
    .toSorted((one, other) => other.pausedFor - one.pausedFor);
  const queues = paused.map(({ queue }) => queue);
  return paused.length === 0
    ? []
    : [
        problem({
          kind: 'paused-queues',
          severity: 'notice',
          message: `Jobs wait in ${counted(paused.length, 'paused queue')}: ${named(queues)}`,
          since: ago(longest(paused.map(({ pausedFor }) => pausedFor))),
          count: paused.length,
          examples: queues,
          harm: 'Their jobs do not run.',
          action: 'Resume the queues when the reason for the pause is gone.',
          queues,
        }),
      ];
}

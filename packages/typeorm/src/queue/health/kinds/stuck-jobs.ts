import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, longest, problem, span } from '../problem.js';

/** Attempts run far longer than those that ended in their queue. */
export function stuckJobs({ readings: { longRuns = [] } }: ReadFacts): FoundProblem[] {
  const found = longRuns.toSorted((one, other) => other.age - one.age);
  const [oldest] = found;
  if (!oldest) {
    return [];
  }
  const count = found.reduce((sum, each) => sum + each.count, 0);
  const queues = [...new Set(found.map(({ queue }) => queue))];
  return [
    problem({
      kind: 'stuck-jobs',
      severity: 'warning',
      message: `${counted(count, 'job')} running too long in ${where(queues)}: the oldest for ${span(oldest.age)}.`,
      since: ago(longest(found.map(({ age }) => age))),
      count,
      examples: found.map(({ id }) => id),
      harm: 'They keep their slots of workers and limits.',
      action: 'Find out what they wait for, cancel them, and give their handlers a timeout.',
      queues,
    }),
  ];
}

function where(queues: readonly string[]): string {
  return queues.length === 1 ? `queue "${queues[0]}"` : counted(queues.length, 'queue');
}

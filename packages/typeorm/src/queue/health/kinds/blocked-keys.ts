import type { ReadFacts } from '../facts.js';
import { type FoundProblem, counted, named, problem } from '../problem.js';

/** Order keys are blocked by failed jobs. */
export function blockedKeys({ readings: { blocked } }: ReadFacts): FoundProblem[] {
  if (!blocked || blocked.count === 0) {
    return [];
  }
  const { count, first } = blocked;
  const examples = first.map(({ name, key }) => `"${key}" of ${name}`);
  return [
    problem({
      kind: 'blocked-keys',
      severity: 'warning',
      message: `Failed jobs block ${counted(count, 'order key')}: ${named(examples, count)}`,
      since: first[0] && new Date(first[0].blockedAt),
      count,
      examples,
      harm: 'The later jobs of these keys do not run.',
      action: 'Retry the failed jobs, or go on without them: see jobs.listBlockedKeys and jobs.skip.',
    }),
  ];
}

import type { ReadFacts } from '../facts.js';
import { type FoundProblem, counted, named, problem } from '../problem.js';

/** No worker has the handlers of subscriptions. */
export function unhandledSubscriptions({ readings: { unhandled } }: ReadFacts): FoundProblem[] {
  if (!unhandled || unhandled.count === 0) {
    return [];
  }
  const { count, first } = unhandled;
  const examples = first.map(({ name, event }) => `"${name}" of ${event}`);
  return [
    problem({
      kind: 'unhandled-subscriptions',
      severity: 'warning',
      message: `No worker handles ${counted(count, 'subscription')}: ${named(examples, count)}`,
      since: first[0] && new Date(first[0].since),
      count,
      examples,
      harm: 'Each event that is published stores a job for them, which waits.',
      action: 'Start a worker with their handlers, or remove them: see subscriptions.remove.',
    }),
  ];
}

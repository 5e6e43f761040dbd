import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, named, problem } from '../problem.js';

/** Schedules have not fired when they were due. */
export function missedTicks({ readings: { missed } }: ReadFacts): FoundProblem[] {
  if (!missed || missed.count === 0) {
    return [];
  }
  const { count, first } = missed;
  const examples = first.map(({ name }) => name);
  return [
    problem({
      kind: 'missed-ticks',
      severity: 'critical',
      message: `${counted(count, 'schedule')} did not fire in time: ${named(examples, count)}`,
      since: ago(first[0]?.lateBy),
      count,
      examples,
      harm: 'The jobs of these ticks are not enqueued.',
      action: 'Start a worker with maintenance: it runs the scheduler. Or check its logs.',
    }),
  ];
}

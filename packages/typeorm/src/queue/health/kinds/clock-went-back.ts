import type { ReadFacts } from '../facts.js';
import { type FoundProblem, counted, problem } from '../problem.js';

/** The next ticks of schedules were calculated while the database's clock was ahead. */
export function clockWentBack({ readings: { stale } }: ReadFacts): FoundProblem[] {
  return !stale || stale.schedulesAhead === 0
    ? []
    : [
        problem({
          kind: 'clock-went-back',
          severity: 'warning',
          message: `The database's clock was wrong when ${counted(stale.schedulesAhead, 'next tick')} of schedules was calculated.`,
          count: stale.schedulesAhead,
          examples: [],
          harm: 'No jobs are enqueued by them until the clock is there again.',
          action: 'Start a worker with maintenance: its scheduler calculates the next ticks again.',
        }),
      ];
}

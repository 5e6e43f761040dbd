import { ALERTS_QUEUE } from '../../../definition/reserved-queues.js';
import type { BacklogHealth, ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, longest, named, problem } from '../problem.js';

/** How long jobs must have been due, in ms: a deployment that stops all workers takes less. */
const PATIENCE = 30_000;

/**
 * The queues with due jobs that no worker with a lease claims from: quiet ones claim only alerts. Paused queues are
 * reported as such.
 */
export function queuesWithoutWorker({ backlog, workers }: ReadFacts['readings']): BacklogHealth[] {
  if (!workers) {
    return [];
  }
  const claimed = new Set(
    workers
      .filter(({ leaseLeft }) => leaseLeft > 0)
      .flatMap(({ state, queues }) =>
        queues.filter((queue) => state === 'working' || (state === 'quiet' && queue === ALERTS_QUEUE)),
      ),
  );
  return backlog.filter(({ queue, age, isPaused }) => !isPaused && age >= PATIENCE && !claimed.has(queue));
}

/** Jobs are due in queues that no worker claims from. */
export function noWorker({ readings }: ReadFacts): FoundProblem[] {
  const found = queuesWithoutWorker(readings).toSorted((one, other) => other.age - one.age);
  const queues = found.map(({ queue }) => queue);
  return found.length === 0
    ? []
    : [
        problem({
          kind: 'no-worker',
          severity: 'critical',
          message: `No worker works on ${counted(found.length, 'queue')} with due jobs: ${named(queues)}`,
          since: ago(longest(found.map(({ age }) => age))),
          count: found.length,
          examples: queues,
          harm: 'Their jobs do not run.',
          action: 'Start a worker with these queues, resume a quiet one, or check why the workers have stopped.',
          queues,
        }),
      ];
}

import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, problem, span } from '../problem.js';
import { queuesWithoutWorker } from './no-worker.js';

/** From which age on the oldest due job is late in queues without a limit, in ms. */
const LATE = 5 * 60_000;

/** The oldest due job of a queue is older than the limit. Queues without a worker count only if you have set a limit. */
export function lateBacklog({ readings, limits }: ReadFacts): FoundProblem[] {
  const withoutWorker = new Set(queuesWithoutWorker(readings).map(({ queue }) => queue));
  const late = readings.backlog
    .filter(({ isPaused }) => !isPaused)
    .map(({ queue, age }) => ({ queue, age, set: limits.backlogAge(queue) }))
    .filter(({ queue, age, set }) => age > (set ?? (withoutWorker.has(queue) ? Infinity : LATE)))
    .toSorted((one, other) => other.age - one.age);
  const [oldest] = late;
  if (!oldest) {
    return [];
  }
  const failsCheck = late.some(({ set }) => set !== undefined);
  const limit = `more than ${span(oldest.set ?? LATE)}`;
  return [
    problem({
      kind: 'late-backlog',
      severity: failsCheck ? 'critical' : 'warning',
      message:
        late.length === 1
          ? `The oldest due job of queue "${oldest.queue}" has been due for ${span(oldest.age)}, ${limit}.`
          : `Jobs are late in ${counted(late.length, 'queue')}: the oldest of "${oldest.queue}" has been due for ` +
            `${span(oldest.age)}, ${limit}.`,
      since: ago(oldest.age),
      count: late.length,
      examples: late.map(({ queue }) => queue),
      harm: 'Jobs start late.',
      action: 'Check the failures and limits of these queues, raise their concurrency, or start more workers.',
      failsCheck,
      queues: late.map(({ queue }) => queue),
    }),
  ];
}

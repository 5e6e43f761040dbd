import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, longest, problem } from '../problem.js';

/** How much later than its interval a task may run, in ms. */
const TOLERANCE = 60_000;

/** A maintenance task of this process's worker has not run in time, in any process. */
export function maintenanceOverdue({ readings: { stale }, started }: ReadFacts): FoundProblem[] {
  if (!stale) {
    return [];
  }
  const overdue = new Map<string, number>();
  for (const { maintenance, startedAt } of started) {
    for (const [task, interval] of Object.entries(maintenance ?? {})) {
      const patience = 2 * interval + TOLERANCE;
      const found = stale.tasks.find((each) => each.task === task);
      const dueIn = found?.dueIn ?? startedAt - performance.now();
      // The scheduler has no row: each process runs it.
      if (task !== 'scheduler' && Math.abs(dueIn) > patience) {
        overdue.set(task, Math.max(overdue.get(task) ?? 0, -dueIn));
      }
    }
  }
  const tasks = [...overdue.keys()];
  return tasks.length === 0
    ? []
    : [
        problem({
          kind: 'maintenance-overdue',
          severity: 'warning',
          message: `Maintenance has not run in time: ${tasks.join(', ')}.`,
          since: ago(longest([...overdue.values()])),
          count: tasks.length,
          examples: tasks,
          harm: 'Jobs of dead workers, delayed jobs of queues without a worker, and old jobs stay as they are.',
          action: 'Check why the task fails in the logs of the workers.',
        }),
      ];
}

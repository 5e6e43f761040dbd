import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, longest, problem } from '../problem.js';

/** How long ago the last failure is that makes it a warning, in ms. */
const RECENT = 60 * 60_000;

/** Failed jobs that were neither retried nor deleted. */
export function failedJobs({ readings: { failed } }: ReadFacts): FoundProblem[] {
  if (failed.length === 0) {
    return [];
  }
  const byAge = failed.toSorted((one, other) => other.oldestAge - one.oldestAge);
  const count = failed.reduce((sum, each) => sum + each.count, 0);
  const atLeast = failed.some(({ isCapped }) => isCapped) ? 'At least ' : '';
  const isRecent = failed.some(({ newestAge }) => newestAge < RECENT);
  const where = failed.length === 1 ? `queue "${failed[0]?.queue}"` : counted(failed.length, 'queue');
  return [
    problem({
      kind: 'failed-jobs',
      severity: isRecent ? 'warning' : 'notice',
      message:
        `${atLeast}${counted(count, 'failed job')} of ${where} ${count === 1 ? 'awaits' : 'await'} a decision` +
        `${isRecent ? ', the last within the hour' : ''}.`,
      since: ago(longest(failed.map(({ oldestAge }) => oldestAge))),
      count,
      examples: byAge.map(({ queue }) => queue),
      harm: 'What they should have done is not done, and they are deleted after the retention period.',
      action: 'Fix the cause and retry them, or delete them.',
      queues: byAge.map(({ queue }) => queue),
    }),
  ];
}

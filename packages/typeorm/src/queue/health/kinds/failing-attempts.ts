import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, longest, problem } from '../problem.js';

/** The share of failed attempts within an hour that is reported, 0 to 1. */
const FAILING = 0.1;
/** The attempts within an hour that a share needs to be significant. */
const FEWEST_ATTEMPTS = 10;

/** Many attempts of a queue have failed within the hour, retried ones included. */
export function failingAttempts({ readings: { rates = [] } }: ReadFacts): FoundProblem[] {
  const failing = rates
    .map(({ attempts, failures, ...rest }) => ({ ...rest, attempts, share: attempts === 0 ? 0 : failures / attempts }))
    .filter(({ attempts, share }) => attempts >= FEWEST_ATTEMPTS && share >= FAILING)
    .toSorted((one, other) => other.share - one.share);
  const [worst] = failing;
  if (!worst) {
    return [];
  }
  const percent = `${Math.round(worst.share * 100)}% of the attempts of "${worst.queue}"`;
  return [
    problem({
      kind: 'failing-attempts',
      severity: 'warning',
      message:
        failing.length === 1
          ? `${percent} have failed within the hour.`
          : `Attempts fail in ${counted(failing.length, 'queue')}: ${percent} within the hour.`,
      since: ago(longest(failing.map(({ failingFor }) => failingFor))),
      count: failing.length,
      examples: failing.map(({ queue }) => queue),
      harm: 'Jobs run late or fail for good.',
      action: 'Look at the errors. If a system that the handlers call is down, pause the queue until it is back.',
      queues: failing.map(({ queue }) => queue),
    }),
  ];
}

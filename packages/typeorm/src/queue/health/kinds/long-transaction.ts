import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, problem, span } from '../problem.js';

/** The age that is reported without a limit, in ms. */
const OLD = 15 * 60_000;

/** A transaction keeps old versions of rows. */
export function longTransaction({ readings: { oldestTransaction: age }, limits }: ReadFacts): FoundProblem[] {
  const limit = limits.transactionAge ?? OLD;
  if (typeof age !== 'number' || age <= limit) {
    return [];
  }
  const failsCheck = limits.transactionAge !== undefined;
  return [
    problem({
      kind: 'long-transaction',
      severity: failsCheck ? 'critical' : 'warning',
      message: `A transaction has been open for ${span(age)}, more than ${span(limit)}.`,
      since: ago(age),
      count: 1,
      examples: [],
      harm: 'The server cannot purge the index entries that jobs have left, so claims get slower.',
      action: 'End it, or find out which session it belongs to in information_schema.INNODB_TRX.',
      failsCheck,
    }),
  ];
}

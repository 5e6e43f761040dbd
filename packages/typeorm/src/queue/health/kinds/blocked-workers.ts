import type { ReadFacts } from '../facts.js';
import { type FoundProblem, ago, counted, longest, named, problem, span } from '../problem.js';

/** For how long a block is reported, in ms. A worker that blocks from time to time is then reported all the time. */
const RECENT = 10 * 60_000;

/** Workers whose event loop was blocked for more than a third of the lease, and more than a second. */
export function blockedWorkers({ readings: { workers = [] } }: ReadFacts): FoundProblem[] {
  const blocked = workers
    .flatMap(({ host, pid, leaseLeft, blockedAgo, blockedFor }) =>
      leaseLeft > 0 && (blockedAgo ?? Infinity) < RECENT
        ? { name: `${pid} on ${host}`, ago: blockedAgo ?? 0, duration: blockedFor ?? 0 }
        : [],
    )
    .toSorted((one, other) => other.duration - one.duration);
  const [worst] = blocked;
  if (!worst) {
    return [];
  }
  const examples = blocked.map(({ name }) => name);
  const whose = `The event loop of ${counted(blocked.length, 'worker')}`;
  return [
    problem({
      kind: 'blocked-workers',
      severity: 'warning',
      message: `${whose} was blocked for up to ${span(worst.duration)}: ${named(examples)}`,
      since: ago(longest(blocked.map((each) => each.ago))),
      count: blocked.length,
      examples,
      harm: 'Meanwhile no job of the process continues. After a block as long as the lease they run again elsewhere.',
      action:
        'Move long computations of handlers to a worker thread or a child process, or split them with an await in ' +
        'between. If no handler computes for long, give the process more CPU time.',
    }),
  ];
}

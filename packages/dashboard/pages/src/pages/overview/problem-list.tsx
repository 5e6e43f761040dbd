import { useLocation } from 'wouter-preact';

import type { HealthProblem } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { Icon, type IconName } from '../../components/icon.js';
import { Link, jobPath, pathTo, queuePath } from '../../components/link.js';
import { Moment } from '../../components/time.js';

const ICONS: Readonly<Record<HealthProblem['severity'], IconName>> = {
  critical: 'critical',
  warning: 'alert',
  notice: 'info',
};

/** Problems: what, since when, what helps, and a link to the list. */
export function ProblemList({ problems }: { readonly problems: readonly HealthProblem[] }) {
  return (
    <ul class="attention" aria-label="Problems">
      {problems.map((problem) => (
        <li key={problem.kind} class={`attention-${problem.severity}`}>
          <Icon name={ICONS[problem.severity]} />
          <div>
            <p>
              <span class="unseen">{problem.severity}: </span>
              {problem.text}
              {problem.since !== null && (
                <span class="quiet">
                  {' Since '}
                  <Moment at={problem.since} />.
                </span>
              )}
            </p>
            <p class="quiet" title={problem.harm}>
              {problem.action}
            </p>
            <Examples problem={problem} />
          </div>
          <Destination problem={problem} />
        </li>
      ))}
    </ul>
  );
}

/** Links to the jobs that a problem names. */
function Examples({ problem: { kind, examples } }: { readonly problem: HealthProblem }) {
  return kind !== 'stuck-jobs' || examples.length === 0 ? null : (
    <p class="quiet inline-links">
      For example
      {examples.map((id) => (
        <Link key={id} to={jobPath(id)} label={`Job ${id}`}>
          <code>…{id.slice(-12)}</code>
        </Link>
      ))}
    </p>
  );
}

/** The name of a kind in words. */
export const labelOf = (kind: string): string => kind.replaceAll('-', ' ');

function Destination({ problem }: { readonly problem: HealthProblem }) {
  const [path] = useLocation();
  const [to, label] = destinationOf(problem) ?? [];
  const isHere = to === undefined || (to.split('?', 1)[0] === path && !to.includes('problem='));
  return isHere ? null : <Link to={to}>{label}</Link>;
}

function destinationOf({ kind, count, examples }: HealthProblem): readonly [string, string] | undefined {
  switch (kind) {
    case 'no-worker':
    case 'late-backlog':
    case 'failing-attempts':
    case 'paused-queues':
      return toQueues(kind, count, examples);
    case 'stuck-jobs':
      return [pathTo('/jobs', { state: 'running' }), 'See running jobs'];
    case 'failed-jobs':
      return [pathTo('/failures'), 'See the errors'];
    case 'blocked-keys':
      return [pathTo('/blocked-keys'), 'See blocked keys'];
    case 'missed-ticks':
    case 'clock-went-back':
      return [pathTo('/recurring'), 'See schedules'];
    case 'unhandled-subscriptions':
      return [pathTo('/events'), 'See subscriptions'];
    case 'long-transaction':
    case 'held-purge':
    case 'database-findings':
      return [pathTo('/health'), 'See the findings'];
    case 'incomplete-groups':
    case 'database-down':
      return undefined;
    default:
      return [pathTo('/workers'), 'See workers'];
  }
}

function toQueues(kind: string, count: number, [queue]: readonly string[]): readonly [string, string] {
  return count === 1 && queue !== undefined
    ? [queuePath(queue), `See ${queue}`]
    : [pathTo('/', { problem: kind }), `See ${formatNumber(count)} queues`];
}

import { useEffect } from 'preact/hooks';

import type { WorkerRow } from '../../contract.js';
import { formatDuration } from '../../format/durations.js';
import { formatNumber } from '../../format/numbers.js';
import { formatExact, now } from '../../format/times.js';
import { isAnchor, scrollToAnchor } from '../../state/scroll.js';
import { Badge } from '../../components/badge.js';
import { ForOperators } from '../../components/for-operators.js';
import { Link, jobPath, queuePath } from '../../components/link.js';
import { Progress } from '../../components/progress.js';
import { Since, Time } from '../../components/time.js';
import { Fact } from '../../components/section.js';
import { ProcessFacts } from './process-facts.js';
import { RequestBadge } from './request-badge.js';
import { WorkerActions } from './worker-actions.js';

export function WorkerCard({ worker }: { readonly worker: WorkerRow }) {
  const { id, host, pid, startedAt, queues, queueCount, weights, running, runningCount } = worker;
  const anchor = `worker-${id}`;
  // The browser scrolls only to what is there when the page opens.
  useEffect(() => scrollToAnchor(), []);
  return (
    <li class={isAnchor(anchor) ? 'card is-target' : 'card'} id={anchor}>
      <div class="card-head">
        <h2>
          {host} <span class="quiet number">pid {pid}</span>
        </h2>
        <RequestBadge worker={worker} />
        <Lease worker={worker} />
      </div>
      <dl class="facts facts-wide">
        <Fact name="Up for">
          <Since at={startedAt} />
        </Fact>
        <ProcessFacts worker={worker} />
        <Fact name="Queues" class="inline-links">
          {queues.map((queue) => (
            <span key={queue}>
              <Link to={queuePath(queue)}>{queue}</Link>
              {weights[queue] !== 1 && <span class="quiet number"> weight {weights[queue]}</span>}
            </span>
          ))}
          {queueCount > queues.length && (
            <span class="quiet">and {formatNumber(queueCount - queues.length)} more queues</span>
          )}
        </Fact>
      </dl>
      <h3>{runningCount === 0 ? 'No running jobs' : `${formatNumber(runningCount)} running`}</h3>
      {running.length > 0 && (
        <ul class="running-list" aria-label={`Running jobs of ${host}, pid ${pid}`}>
          {running.map((job) => (
            <li key={job.id}>
              <Link to={jobPath(job.id)}>{job.name}</Link>
              <span class="quiet">{job.queue}</span>
              {job.progress !== null && <Progress of={job.progress} />}
              <span class="number running-since">{job.startedAt === null ? '–' : <Since at={job.startedAt} />}</span>
            </li>
          ))}
          {runningCount > running.length && (
            <li class="quiet">and {formatNumber(runningCount - running.length)} more</li>
          )}
        </ul>
      )}
      <ForOperators>
        <WorkerActions worker={worker} />
      </ForOperators>
      <p class="unseen">Worker {id}</p>
    </li>
  );
}

/** Shows the time left until other workers may take over its jobs. */
function Lease({ worker: { seenAt, leaseEndsAt } }: { readonly worker: WorkerRow }) {
  const left = leaseEndsAt - now.value;
  if (left <= 0) {
    return (
      <Badge tone="bad">
        missing, last seen <Time at={seenAt} />
      </Badge>
    );
  }
  return (
    <span class="lease" title="The worker renews its lease. When the lease ends, other workers take over its jobs.">
      <meter
        min={0}
        max={leaseEndsAt - seenAt}
        low={(leaseEndsAt - seenAt) / 3}
        value={left}
        aria-label="Left of the lease"
      />
      <span class="quiet number" title={`Ends ${formatExact(leaseEndsAt)}`}>
        lease {formatDuration(Math.ceil(left / 1000) * 1000)}
      </span>
    </span>
  );
}

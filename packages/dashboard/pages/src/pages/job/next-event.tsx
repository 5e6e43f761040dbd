import type { ComponentChildren } from 'preact';

import { useQueue } from '../../api/queries.js';
import type { JobDetail, QueueRow } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { Link, queuePath } from '../../components/link.js';
import { Moment, Time } from '../../components/time.js';

/** What happens next to a job that has not started: the first entry of its history. */
export function NextEvent({ job }: { readonly job: JobDetail }) {
  const { state, queue, runAt } = job;
  const row = useQueue(state === 'ready' ? queue : undefined).data;
  switch (state) {
    case 'scheduled':
      return (
        <li class="tone-later">
          <p class="timeline-head">
            <span>
              Due <Time at={runAt} />
            </span>
            <Moment at={runAt} />
          </p>
        </li>
      );
    case 'ready':
      return <Due>Ready: {nextStepOf(job, row)}</Due>;
    case 'waiting':
      return <Due>{waitOf(job)}</Due>;
    default:
      return null;
  }
}

const Due = ({ children }: { readonly children: ComponentChildren }) => (
  <li class="tone-due">
    <p class="timeline-head">
      <span>{children}</span>
    </p>
  </li>
);

/** @param row the queue of the job; undefined before it is read. */
function nextStepOf({ queue, tenant }: JobDetail, row: QueueRow | undefined): ComponentChildren {
  if (row && row.pausedAt !== null) {
    return 'it runs when its queue is resumed';
  }
  if (row?.workers === 0) {
    return 'no worker works on its queue';
  }
  const { concurrency = null, rate = null, perTenant = null, ratePerTenant = null } = row?.limits ?? {};
  if (row && concurrency !== null && row.counts.running.count >= concurrency) {
    return (
      <>
        <Link to={queuePath(queue)}>the queue’s limit</Link>
        {` of ${formatNumber(concurrency)} running ${concurrency === 1 ? 'job' : 'jobs'} is reached`}
      </>
    );
  }
  // Jobs without a tenant have no limits per tenant.
  const mayBeLimited = rate !== null || (tenant !== null && (perTenant ?? ratePerTenant) !== null);
  return mayBeLimited ? (
    <>
      {'the next free worker runs it when '}
      <Link to={queuePath(queue)}>the queue’s limits</Link>
      {' allow it'}
    </>
  ) : (
    'the next free worker runs it'
  );
}

function waitOf({ order, waitsFor, steps }: JobDetail): string {
  const isInGroup = waitsFor !== null && waitsFor.pending > 0;
  if (!isInGroup && order !== null && order.ahead !== null) {
    return order.blockedAt === null
      ? 'Waits for earlier jobs of its order key'
      : 'Waits: a failed job blocks its order key';
  }
  return steps.length > 0 ? 'Waits: see its steps' : 'Waits for the jobs below';
}

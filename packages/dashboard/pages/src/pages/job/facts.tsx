import type { JobDetail, JobOrder } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { now } from '../../format/times.js';
import { visible } from '../../format/visible.js';
import { CopyButton } from '../../components/copy-button.js';
import { Link, jobPath, pathTo, queuePath, workerPath } from '../../components/link.js';
import { Progress } from '../../components/progress.js';
import { Time } from '../../components/time.js';
import { Fact } from '../../components/section.js';

export function Facts({ job }: { readonly job: JobDetail }) {
  const { id, state, queue, key, tenant, worker, leaseEndsAt, trace, order } = job;
  // A manual retry resets the number of failures.
  const failed = Math.max(job.failures, job.attempts.filter(({ outcome }) => outcome === 'failed').length);
  const isCut = job.attempts.length < job.attempt;
  return (
    <dl class="facts">
      {job.progress !== null && (
        <Fact name="Progress">
          <Progress of={job.progress} />
        </Fact>
      )}
      <Fact name="Queue">
        <Link to={queuePath(queue)}>{queue}</Link>
      </Fact>
      {key !== null && (
        <Fact name="Key">
          <Link to={pathTo('/jobs', { state, key })}>
            <code>{visible(key)}</code>
          </Link>
        </Fact>
      )}
      {tenant !== null && (
        <Fact name="Tenant">
          <Link to={pathTo('/jobs', { state, tenant })}>{visible(tenant)}</Link>
        </Fact>
      )}
      {order && (
        <Fact name="Order key">
          <code>{visible(order.key)}</code> <OrderPlace id={id} order={order} />
        </Fact>
      )}
      <Fact name="Priority">{job.priority}</Fact>
      <Fact name="Attempts">
        {job.attempt}
        {failed > 0 && (failed === job.attempt ? ', all failed' : `, ${isCut ? 'at least ' : ''}${failed} failed`)}
      </Fact>
      <Fact name="Created">
        <Time at={job.createdAt} />
      </Fact>
      {/* A job that waits for others is due when they end. */}
      {(state !== 'waiting' || job.runAt > now.value) && (
        <Fact name={dueLabel(job)}>
          <Time at={job.runAt} />
        </Fact>
      )}
      {job.expiresAt !== null && job.finishedAt === null && (
        <Fact name="Expires">
          <Time at={job.expiresAt} />
        </Fact>
      )}
      {job.finishedAt !== null && (
        <Fact name="Ended">
          <Time at={job.finishedAt} />
        </Fact>
      )}
      {worker && (
        <Fact name="Worker">
          <Link to={workerPath(worker.id)}>{visible(worker.host)}</Link>{' '}
          <span class="quiet number">pid {worker.pid}</span>
        </Fact>
      )}
      {leaseEndsAt !== null && (
        <Fact name="Lease ends">
          <Time at={leaseEndsAt} />
        </Fact>
      )}
      {trace !== null && (
        <Fact name="Trace">
          <span class="trace">
            <code title={trace}>{trace}</code>
            <CopyButton text={trace} what="trace" />
          </span>
        </Fact>
      )}
    </dl>
  );
}

function dueLabel({ state, runAt, finishedAt }: JobDetail): string {
  const isAhead = runAt > now.value;
  if (isAhead && finishedAt !== null) {
    return 'Would be due';
  }
  return isAhead || state === 'scheduled' ? 'Due' : 'Was due';
}

function OrderPlace({ id, order: { head, blockedAt, ahead } }: { readonly id: string; readonly order: JobOrder }) {
  const blocked = blockedAt !== null && (
    <>
      {' blocked since '}
      <Time at={blockedAt} />
    </>
  );
  if (head === id) {
    return <span class="quiet">{blocked || 'runs next of its key'}</span>;
  }
  return ahead === null ? null : (
    <span class="quiet">
      {'waits behind '}
      {head ? <Link to={jobPath(head)}>{head.slice(-6)}</Link> : 'no job'}
      {ahead > 0 && ` and ${formatNumber(ahead)} more`}
      {blocked}
    </span>
  );
}

import type { JobDetail, JobGroup, JobLink } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { StateBadge } from '../../components/badge.js';
import { Link, jobPath } from '../../components/link.js';

/** The jobs that this one waits for, and those that wait for it. */
export function RelatedJobs({ job: { waitsFor, followedBy, state } }: { readonly job: JobDetail }) {
  return (
    <>
      {waitsFor && (
        <section aria-labelledby="waits-for">
          <div class="section-head">
            <h2 id="waits-for">{state === 'waiting' ? 'Waits for' : 'Waited for'}</h2>
            <span class="quiet">{progressOf(waitsFor)}</span>
          </div>
          <Links jobs={waitsFor.members} />
          {waitsFor.jobs > waitsFor.members.length && (
            <p class="quiet">
              {waitsFor.members.length === 0
                ? 'They were pruned.'
                : `${formatNumber(waitsFor.members.length)} of ${formatNumber(waitsFor.jobs)}, unsuccessful ones first.`}
            </p>
          )}
        </section>
      )}
      {followedBy.length > 0 && (
        <section aria-labelledby="followed-by">
          <div class="section-head">
            <h2 id="followed-by">Followed by</h2>
          </div>
          <Links jobs={followedBy} />
        </section>
      )}
    </>
  );
}

function progressOf({ jobs, ...counts }: JobGroup): string {
  const parts = (['succeeded', 'failed', 'cancelled', 'pending'] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${formatNumber(counts[outcome])} ${outcome}`);
  return `${formatNumber(jobs)} ${jobs === 1 ? 'job' : 'jobs'}: ${parts.join(', ')}`;
}

const Links = ({ jobs }: { readonly jobs: readonly JobLink[] }) => (
  <ul class="relatives">
    {jobs.map(({ id, name, state }) => (
      <li key={id}>
        <StateBadge state={state} />
        <Link to={jobPath(id)}>{name}</Link>
        <code class="quiet">{id.slice(-6)}</code>
      </li>
    ))}
  </ul>
);

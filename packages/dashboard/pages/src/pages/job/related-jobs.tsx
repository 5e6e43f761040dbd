import type { JobDetail, JobGroup, JobLink } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { StateBadge } from '../../components/badge.js';
import { Link, jobPath } from '../../components/link.js';
import { Section } from '../../components/section.js';

export function RelatedJobs({ job: { waitsFor, followedBy, parent, state } }: { readonly job: JobDetail }) {
  return (
    <>
      {parent && (
        <Section id="parent" title="Child of">
          <Links jobs={[parent]} />
        </Section>
      )}
      {waitsFor && (
        <Section
          id="waits-for"
          title={state === 'waiting' ? 'Waits for' : 'Waited for'}
          beside={<span class="quiet">{progressOf(waitsFor)}</span>}
        >
          <Members group={waitsFor} />
        </Section>
      )}
      {followedBy.length > 0 && (
        <Section id="followed-by" title="Followed by">
          <Links jobs={followedBy} />
        </Section>
      )}
    </>
  );
}

/** Some members of a group. */
export const Members = ({ group: { jobs, members } }: { readonly group: JobGroup }) => (
  <>
    <Links jobs={members} />
    {jobs > members.length && (
      <p class="quiet">
        {members.length === 0
          ? 'They were pruned.'
          : `${formatNumber(members.length)} of ${formatNumber(jobs)}, unsuccessful first.`}
      </p>
    )}
  </>
);

export function progressOf({ jobs, ...counts }: JobGroup): string {
  const parts = (['succeeded', 'failed', 'cancelled', 'expired', 'pending'] as const)
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

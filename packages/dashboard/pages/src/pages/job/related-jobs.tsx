import type { JobDetail, JobGroup } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { Section } from '../../components/section.js';
import { Members } from './group-members.js';
import { JobLinks } from './job-links.js';

export function RelatedJobs({ job: { waitsFor, followedBy, parent, state } }: { readonly job: JobDetail }) {
  return (
    <>
      {parent && (
        <Section id="parent" title="Child of">
          <JobLinks jobs={[parent]} />
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
          <JobLinks jobs={followedBy} />
        </Section>
      )}
    </>
  );
}

const OUTCOMES = ['succeeded', 'failed', 'cancelled', 'expired', 'pending'] as const;

export function progressOf({ jobs, ...counts }: JobGroup): string {
  const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${formatNumber(counts[outcome])} ${outcome}`,
  );
  return `${formatNumber(jobs)} ${jobs === 1 ? 'job' : 'jobs'}: ${parts.join(', ')}`;
}

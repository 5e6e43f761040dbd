import type { ComponentChildren } from 'preact';

import { useJob } from '../../api/queries.js';
import type { JobDetail } from '../../contract.js';
import { formatExact } from '../../format/times.js';
import { capitalize } from '../../format/labels.js';
import { StateBadge } from '../../components/badge.js';
import { CopyButton } from '../../components/copy-button.js';
import { Json } from '../../components/json.js';
import { Link, pathTo } from '../../components/link.js';
import { Page } from '../../components/page.js';
import { Load } from '../../components/load.js';
import { Section } from '../../components/section.js';
import { Attempts } from './attempts.js';
import { Facts } from './facts.js';
import { Log } from './log.js';
import { JobActions } from './job-actions.js';
import { ManualActions } from './manual-actions.js';
import { JobTabs, hasGraph } from './job-tabs.js';
import { RelatedJobs } from './related-jobs.js';
import { Steps } from './steps.js';

export function JobPage({ id }: { readonly id: string }) {
  const job = useJob(id);
  const { data } = job;
  return (
    <Page
      title={data?.name ?? 'Job'}
      tab={data ? `${data.name}, ${data.state}` : 'Job'}
      before={
        <Link to={pathTo('/jobs', data && { state: data.state, queue: data.queue })} class="crumb">
          {data ? `Jobs of ${data.queue}` : 'Jobs'}
        </Link>
      }
      beside={data && <StateBadge state={data.state} />}
      actions={
        data && (
          <>
            <JobActions job={data} />
            <ManualActions job={data} />
          </>
        )
      }
    >
      <p class="job-id">
        <code>{id}</code>
        <CopyButton text={id} what="id" />
      </p>
      {data && hasGraph(data) && <JobTabs id={id} current="details" />}
      <Load from={job} lines={12}>
        {(detail) => <Details job={detail} />}
      </Load>
    </Page>
  );
}

function Details({ job }: { readonly job: JobDetail }) {
  return (
    <div class="job-columns">
      <div>
        <Section id="attempts" title="Attempts">
          <Attempts job={job} />
        </Section>
        {job.steps.length > 0 && (
          <Section id="steps" title="Steps">
            <Steps job={job} />
          </Section>
        )}
        <Log job={job} />
        <RelatedJobs job={job} />
        {job.progress !== null && typeof job.progress !== 'number' && <Value of="progress" job={job} />}
        <Value of="payload" job={job}>
          {job.payloadVersion > 1 && <span class="quiet">version {job.payloadVersion}</span>}
          {job.isRedacted && <span class="quiet">The application hides some of it.</span>}
        </Value>
        {job.result !== null && <Value of="result" job={job} />}
      </div>
      <aside aria-label={`About this job, created ${formatExact(job.createdAt)}`}>
        <Facts job={job} />
      </aside>
    </div>
  );
}

interface ValueProps {
  readonly of: 'payload' | 'progress' | 'result';
  readonly job: JobDetail;
  /** Notes beside the heading. */
  readonly children?: ComponentChildren;
}

const Value = ({ of, job, children }: ValueProps) => (
  <Section id={of} title={capitalize(of)} beside={children}>
    {job.undecoded.includes(of) ? (
      <p class="quiet">{capitalize(String(job[of]))}.</p>
    ) : (
      <Json value={job[of]} what={of} />
    )}
  </Section>
);

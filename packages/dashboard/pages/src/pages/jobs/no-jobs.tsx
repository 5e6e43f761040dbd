import { Link, pathTo } from '../../components/link.js';
import { Empty } from '../../components/load.js';
import { visible } from '../../format/visible.js';
import type { JobQuery } from './job-query.js';

interface NoJobsProps {
  readonly query: JobQuery;
  readonly isUnfinished: boolean;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}

export function NoJobs({ query, isUnfinished, isFiltered, clear }: NoJobsProps) {
  const { state, cursor, key, tenant, error, name } = query;
  const text = key ?? tenant ?? error ?? name;
  if (isUnfinished) {
    return (
      <Empty icon="search" title="Nothing found so far">
        <p>Not all jobs were searched.</p>
      </Empty>
    );
  }
  if (isFiltered) {
    return (
      <Empty icon="search" title={`No ${state} job matches`}>
        <button type="button" class="button" onClick={clear}>
          Clear filters
        </button>
        {text !== undefined && (
          <p>
            <Link to={pathTo('/search', { text })}>Search all states for “{visible(text)}”</Link>
          </p>
        )}
      </Empty>
    );
  }
  if (cursor !== undefined) {
    return <Empty icon="jobs" title="No more jobs" />;
  }
  return <Empty icon={state === 'failed' ? 'check' : 'jobs'} title={TITLES[state]} />;
}

const TITLES: Readonly<Record<JobQuery['state'], string>> = {
  running: 'No job is running',
  ready: 'No job is ready',
  scheduled: 'No job is scheduled',
  waiting: 'No job waits for other jobs',
  failed: 'No job has failed',
  succeeded: 'No job has succeeded yet',
  cancelled: 'No job was cancelled',
  expired: 'No job has expired',
};

import { Empty } from '../../parts/states.js';
import type { Wanted } from './filter.js';

interface NoJobsProps {
  readonly wanted: Wanted;
  readonly isUnfinished: boolean;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}

export function NoJobs({ wanted: { state, cursor }, isUnfinished, isFiltered, clear }: NoJobsProps) {
  if (isUnfinished) {
    return (
      <Empty icon="search" title="Nothing found so far">
        <p>Only some of the jobs have been looked at.</p>
      </Empty>
    );
  }
  if (isFiltered) {
    return (
      <Empty icon="search" title={`No ${state} job matches`}>
        <button type="button" class="button" onClick={clear}>
          Clear filters
        </button>
      </Empty>
    );
  }
  if (cursor !== undefined) {
    return <Empty icon="jobs" title="No more jobs" />;
  }
  return <Empty icon={state === 'failed' ? 'check' : 'jobs'} title={TITLES[state]} />;
}

const TITLES: Readonly<Record<Wanted['state'], string>> = {
  running: 'Nothing is running',
  ready: 'Nothing waits to be run',
  scheduled: 'Nothing is scheduled',
  waiting: 'No job waits for others',
  failed: 'No job has failed',
  succeeded: 'No job has succeeded yet',
  cancelled: 'No job was cancelled',
};

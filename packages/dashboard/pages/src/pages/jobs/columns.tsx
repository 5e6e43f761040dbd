import type { JobRow, JobState } from '../../contract.js';
import { visible } from '../../format/visible.js';
import { Badge } from '../../components/badge.js';
import { Link, jobPath, queuePath } from '../../components/link.js';
import { Name } from '../../components/name.js';
import { EmptyValue } from '../../components/empty-value.js';
import { Progress } from '../../components/progress.js';
import type { Column } from '../../tables/table.js';
import { Duration, Since, Time } from '../../components/time.js';

export const JOB: Column<JobRow> = {
  title: 'Job',
  isHead: true,
  class: 'job',
  cell: ({ id, name, error, state }) => (
    <>
      <Link to={jobPath(id)}>{name}</Link>
      {error !== null && (
        <span class={state === 'failed' ? 'job-error bad' : 'job-error quiet'} title={visible(error)}>
          {visible(error)}
        </span>
      )}
    </>
  ),
};

export const QUEUE: Column<JobRow> = {
  title: 'Queue',
  class: 'clip',
  cell: ({ queue }) => (
    <Link to={queuePath(queue)} class="plain">
      <Name text={queue} most={22} />
    </Link>
  ),
};

export const KEY: Column<JobRow> = {
  title: 'Key',
  class: 'clip',
  cell: ({ key, tenant }) =>
    key === null && tenant === null ? (
      <EmptyValue />
    ) : (
      <span class="row-name">
        {key !== null && (
          <code class="key">
            <Name text={key} most={22} />
          </code>
        )}
        {tenant !== null && (
          <Badge tone="calm" title={`Tenant ${visible(tenant)}`}>
            <Name text={tenant} most={18} />
          </Badge>
        )}
      </span>
    ),
};

const ATTEMPT: Column<JobRow> = {
  title: 'Attempt',
  isNumber: true,
  cell: ({ attempt, failures }) => (
    <>
      {attempt}
      {failures > 0 && failures < attempt && <span class="quiet">, {failures} failed</span>}
    </>
  ),
};

const PRIORITY: Column<JobRow> = { title: 'Priority', isNumber: true, cell: ({ priority }) => priority };

const time = (title: string, at: (row: JobRow) => number | null): Column<JobRow> => ({
  title,
  isNumber: true,
  cell: (row) => <Time at={at(row)} />,
});

const RUNNING_FOR: Column<JobRow> = {
  title: 'Running for',
  isNumber: true,
  cell: ({ startedAt, progress }) => (
    <span class="running-for">
      {progress !== null && <Progress of={progress} />}
      {startedAt === null ? <EmptyValue /> : <Since at={startedAt} />}
    </span>
  ),
};

const TOOK: Column<JobRow> = {
  title: 'Took',
  isNumber: true,
  cell: ({ startedAt, finishedAt }) => (
    <Duration ms={startedAt === null || finishedAt === null ? null : finishedAt - startedAt} />
  ),
};

const CREATED = time('Created', ({ createdAt }) => createdAt);
const DUE = time('Due', ({ runAt }) => runAt);
const ENDED = time('Ended', ({ finishedAt }) => finishedAt);

const OF_STATE: Readonly<Record<JobState, readonly Column<JobRow>[]>> = {
  waiting: [PRIORITY, CREATED],
  scheduled: [ATTEMPT, CREATED, DUE],
  ready: [PRIORITY, ATTEMPT, DUE],
  running: [ATTEMPT, RUNNING_FOR],
  succeeded: [ATTEMPT, TOOK, ENDED],
  failed: [ATTEMPT, TOOK, ENDED],
  cancelled: [ATTEMPT, ENDED],
  expired: [CREATED, ENDED],
};

export const columnsOf = (state: JobState): readonly Column<JobRow>[] => [JOB, QUEUE, KEY, ...OF_STATE[state]];

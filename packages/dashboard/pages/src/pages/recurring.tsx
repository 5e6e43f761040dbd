import { useScheduleChange } from '../api/changes.js';
import { useSchedules } from '../api/queries.js';
import type { ScheduleRow } from '../contract.js';
import { formatExact } from '../format/times.js';
import { useCanAct } from '../components/for-operators.js';
import { Badge, StateBadge } from '../components/badge.js';
import { Link, jobPath } from '../components/link.js';
import { Page } from '../components/page.js';
import { Empty, Load } from '../components/load.js';
import { QUEUE_COLUMN } from '../tables/queue-column.js';
import { type Column, Table } from '../tables/table.js';
import { Time } from '../components/time.js';

const COLUMNS: readonly Column<ScheduleRow>[] = [
  {
    title: 'Schedule',
    isHead: true,
    class: 'job',
    cell: ({ name, job, pausedAt }) => (
      <>
        <span class="row-name">
          {name}
          {pausedAt !== null && <Badge tone="warn">paused</Badge>}
        </span>
        {job !== name && <span class="quiet below">{job}</span>}
      </>
    ),
  },
  QUEUE_COLUMN,
  {
    title: 'When',
    cell: ({ pattern, timeZone }) => (
      <span class="row-name">
        <code>{pattern}</code>
        {timeZone !== null && <span class="quiet">{timeZone}</span>}
      </span>
    ),
  },
  {
    title: 'Next',
    cell: ({ nextAt, upcoming, pausedAt }) => (
      <>
        <Time at={pausedAt === null ? nextAt : null} none={pausedAt === null ? 'never' : 'not while paused'} />
        {pausedAt === null && upcoming.length > 1 && (
          <details class="upcoming">
            <summary>and then</summary>
            <ul>
              {upcoming.slice(1).map((at) => (
                <li key={at} class="number">
                  {formatExact(at)}
                </li>
              ))}
            </ul>
          </details>
        )}
      </>
    ),
  },
  {
    title: 'Last',
    cell: ({ lastAt, lastJob }) => (
      <span class="row-name">
        <Time at={lastAt} none="not yet" />
        {lastJob && (
          <Link to={jobPath(lastJob.id)} class="plain" label={`Its job: ${lastJob.state}`}>
            <StateBadge state={lastJob.state} />
          </Link>
        )}
      </span>
    ),
  },
];

const ACTIONS: Column<ScheduleRow> = {
  title: 'Actions',
  class: 'row-actions',
  cell: (schedule) => <ScheduleActions schedule={schedule} />,
};

export function Recurring() {
  const schedules = useSchedules();
  const canAct = useCanAct();
  return (
    <Page title="Recurring">
      <Load from={schedules} lines={6}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="recurring" title="No schedules">
              <p>Schedules that the application defines are listed here.</p>
            </Empty>
          ) : (
            <Table
              caption="Schedules"
              columns={canAct ? [...COLUMNS, ACTIONS] : COLUMNS}
              rows={rows}
              keyOf={({ name }) => name}
            />
          )
        }
      </Load>
    </Page>
  );
}

function ScheduleActions({ schedule: { name, pausedAt } }: { readonly schedule: ScheduleRow }) {
  const { mutate, isPending } = useScheduleChange();
  const isPaused = pausedAt !== null;
  return (
    <>
      <button
        type="button"
        class="button button-small"
        aria-label={`Run now: ${name}`}
        disabled={isPending}
        onClick={() => mutate({ name, change: 'run' })}
      >
        Run now
      </button>
      <button
        type="button"
        class="button button-small"
        aria-label={`${isPaused ? 'Resume' : 'Pause'}: ${name}`}
        disabled={isPending}
        onClick={() => mutate({ name, change: isPaused ? 'resume' : 'pause' })}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </button>
    </>
  );
}

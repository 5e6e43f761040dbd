import { useState } from 'preact/hooks';

import { useScheduleChange } from '../api/changes.js';
import { useSchedules } from '../api/queries.js';
import type { ScheduleRow } from '../contract.js';
import { formatExact } from '../format/times.js';
import { useCanAct } from '../components/for-operators.js';
import { Badge, StateBadge } from '../components/badge.js';
import { Link, jobPath } from '../components/link.js';
import { Page } from '../components/page.js';
import { Empty, Load } from '../components/load.js';
import { Confirm } from '../dialogs/dialog.js';
import { Name } from '../components/name.js';
import { QUEUE_COLUMN } from '../tables/queue-column.js';
import { useSorting } from '../tables/sorting.js';
import { type Column, Table } from '../tables/table.js';
import { Time } from '../components/time.js';

const COLUMNS: readonly Column<ScheduleRow>[] = [
  {
    title: 'Schedule',
    isHead: true,
    class: 'job',
    order: ({ name }) => name,
    cell: ({ name, job, pausedAt }) => (
      <>
        <span class="row-name">
          <Name text={name} />
          {pausedAt !== null && <Badge tone="warn">paused</Badge>}
        </span>
        {job !== name && (
          <span class="quiet below">
            <Name text={job} most={40} />
          </span>
        )}
      </>
    ),
  },
  QUEUE_COLUMN,
  {
    title: 'When',
    cell: ({ pattern, timeZone }) => (
      <span>
        <code>
          <Name text={pattern} most={22} />
        </code>
        {timeZone !== null && <span class="quiet below">{timeZone}</span>}
      </span>
    ),
  },
  {
    title: 'Next',
    order: ({ nextAt, pausedAt }) => (pausedAt === null ? nextAt : null),
    isAscendingFirst: true,
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
    order: ({ lastAt }) => lastAt,
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
  const sorting = useSorting('Next');
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
              sorting={sorting}
            />
          )
        }
      </Load>
    </Page>
  );
}

function ScheduleActions({ schedule: { name, pausedAt } }: { readonly schedule: ScheduleRow }) {
  const { mutate, isPending } = useScheduleChange();
  const [isAsked, ask] = useState(false);
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
        onClick={() => (isPaused ? mutate({ name, change: 'resume' }) : ask(true))}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      {isAsked && (
        <Confirm
          title={`Pause ${name}?`}
          verb="Pause"
          closeLabel="Let it run"
          isBusy={isPending}
          close={() => ask(false)}
          confirm={() => mutate({ name, change: 'pause' }, { onSettled: () => ask(false) })}
        >
          <p>It enqueues no jobs until someone resumes it. Ticks in between are lost.</p>
        </Confirm>
      )}
    </>
  );
}

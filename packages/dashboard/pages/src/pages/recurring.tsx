import { useState } from 'preact/hooks';

import { useScheduleChange } from '../api/changes.js';
import { useSchedules } from '../api/queries.js';
import type { ScheduleRow } from '../contract.js';
import { formatNumber } from '../format/numbers.js';
import { formatExact } from '../format/times.js';
import { useCanAct } from '../components/for-operators.js';
import { Badge, StateBadge } from '../components/badge.js';
import { Link, jobPath } from '../components/link.js';
import { Page } from '../components/page.js';
import { PageLinks } from '../components/page-links.js';
import { Empty, Load } from '../components/load.js';
import { Confirm } from '../dialogs/dialog.js';
import { Name } from '../components/name.js';
import { QUEUE_COLUMN } from '../tables/queue-column.js';
import { useSorting } from '../tables/sorting.js';
import { type Column, Table } from '../tables/table.js';
import { Time } from '../components/time.js';
import { useParameters } from '../state/parameters.js';

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

/** So many schedules need no filter. */
const FEW = 8;

export function Recurring() {
  const { parameters, change } = useParameters();
  const contains = parameters.get('contains') ?? undefined;
  const cursor = parameters.get('cursor') ?? undefined;
  const page = useSchedules(contains?.trim() || undefined, cursor);
  const canAct = useCanAct();
  const sorting = useSorting('Next');
  return (
    <Page title="Recurring">
      <Load from={page} lines={6}>
        {({ schedules, total, matching, next }) =>
          total === 0 ? (
            <Empty icon="recurring" title="No schedules">
              <p>Schedules that the application defines are listed here.</p>
            </Empty>
          ) : (
            <>
              {(total > FEW || contains !== undefined) && (
                <NameFilter
                  text={contains ?? ''}
                  change={(text) => change({ contains: text, cursor: undefined })}
                  found={matching < total ? `${formatNumber(matching)} of ${formatNumber(total)} schedules` : ''}
                />
              )}
              {schedules.length > 0 && (
                <Table
                  caption="Schedules"
                  columns={canAct ? [...COLUMNS, ACTIONS] : COLUMNS}
                  rows={schedules}
                  keyOf={({ name }) => name}
                  // Pages are by name. Sorting the rows of one of them would not show the first of all.
                  {...(schedules.length === matching && { sorting })}
                />
              )}
              {(cursor !== undefined || next !== null) && (
                <nav class="pager" aria-label="Pages of the list">
                  <p class="quiet">
                    {formatNumber(schedules.length)} of {formatNumber(matching)} schedules, by name
                  </p>
                  <PageLinks path="/recurring" query={{ contains, cursor }} next={next} />
                </nav>
              )}
            </>
          )
        }
      </Load>
    </Page>
  );
}

interface NameFilterProps {
  readonly text: string;
  readonly change: (text: string) => void;
  /** How many it has found, in words. */
  readonly found: string;
}

function NameFilter({ text, change, found }: NameFilterProps) {
  return (
    <form
      class="filters queue-filter"
      role="search"
      aria-label="Schedules"
      onSubmit={(event) => event.preventDefault()}
    >
      <label class="field">
        <span>Name contains</span>
        <input
          type="search"
          value={text}
          maxLength={128}
          autoComplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      </label>
      <p class="quiet" role="status">
        {found}
      </p>
    </form>
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

import { useState } from 'preact/hooks';

import { useBulkStart, useErrorMute } from '../api/changes.js';
import { useFailures } from '../api/queries.js';
import type { FailedError, FailedErrors } from '../contract.js';
import { ACTIONS } from '../format/labels.js';
import { formatJobs, formatNumber } from '../format/numbers.js';
import { useCanAct } from '../components/for-operators.js';
import { Link, jobPath, pathTo } from '../components/link.js';
import { Empty, Load } from '../components/load.js';
import { Name } from '../components/name.js';
import { Page } from '../components/page.js';
import { Section } from '../components/section.js';
import { Moment, Time } from '../components/time.js';
import { Confirm } from '../dialogs/dialog.js';
import { type Column, Table } from '../tables/table.js';
import { BulkProgress } from './jobs/bulk-progress.js';

const COLUMNS: readonly Column<FailedError>[] = [
  {
    title: 'Error',
    isHead: true,
    cell: ({ title, fingerprint }) => (
      <Link to={pathTo('/jobs', { state: 'failed', fingerprint })}>
        <Name text={title} />
      </Link>
    ),
  },
  { title: 'Jobs', isNumber: true, cell: ({ count }) => formatNumber(count) },
  { title: 'Queues', cell: ({ queues }) => <Name text={queues.join(', ')} /> },
  {
    title: 'Names',
    cell: ({ names, payloadVersions }) => (
      <>
        <Name text={names.join(', ')} />
        {payloadVersions.some((version) => version > 1) && (
          <span class="quiet"> version {payloadVersions.join(', ')}</span>
        )}
      </>
    ),
  },
  { title: 'First', cell: ({ firstAt }) => <Time at={firstAt} /> },
  { title: 'Last', cell: ({ lastAt }) => <Time at={lastAt} /> },
  {
    title: 'Example',
    class: 'job',
    cell: ({ exampleId }) => (
      <Link to={jobPath(exampleId)}>
        <code>{exampleId.slice(-6)}</code>
      </Link>
    ),
  },
];

const MUTED_UNTIL: Column<FailedError> = {
  title: 'Muted until',
  cell: ({ mutedUntil }) => <Moment at={mutedUntil} />,
};

const ACTION: Column<FailedError> = {
  title: 'Actions',
  class: 'row-actions',
  cell: (error) => (
    <>
      <RetryButton error={error} />
      <MuteButton error={error} />
    </>
  ),
};

/** The latest failed jobs by error. */
export function Failures() {
  const failures = useFailures();
  return (
    <Page title="Failures">
      <BulkProgress />
      <Load from={failures} lines={6}>
        {(found) =>
          found.examined === 0 ? (
            <Empty icon="check" title="No job has failed">
              <p>A job fails when its last attempt has failed. The errors of failed jobs are listed here.</p>
            </Empty>
          ) : (
            <>
              <p class="lead">
                <Examined {...found} />
              </p>
              <Errors errors={found.errors} />
            </>
          )
        }
      </Load>
    </Page>
  );
}

/** The errors, and apart from them the muted ones. */
function Errors({ errors }: Pick<FailedErrors, 'errors'>) {
  const actions = useCanAct() ? [ACTION] : [];
  const muted = errors.filter(({ mutedUntil }) => mutedUntil !== null);
  const others = errors.filter(({ mutedUntil }) => mutedUntil === null);
  const keyOf = ({ fingerprint }: FailedError) => fingerprint;
  return (
    <>
      {others.length > 0 && (
        <Table caption="Failed jobs by error" columns={[...COLUMNS, ...actions]} rows={others} keyOf={keyOf} />
      )}
      {muted.length > 0 && (
        <Section id="muted" title="Muted">
          <Table caption="Muted errors" columns={[...COLUMNS, MUTED_UNTIL, ...actions]} rows={muted} keyOf={keyOf} />
        </Section>
      )}
    </>
  );
}

function Examined({ examined, isComplete, since, omitted, encoded }: FailedErrors) {
  return (
    <>
      {isComplete ? `All ${formatJobs(examined, 'failed')}` : `The latest ${formatJobs(examined, 'failed')}`}
      {!isComplete && since !== null && (
        <>
          , since <Time at={since} />
        </>
      )}
      .{omitted > 0 && ` ${formatJobs(omitted)} with rarer errors not shown.`}
      {encoded > 0 && ` ${formatJobs(encoded)} with an encoded error not shown.`}
    </>
  );
}

function RetryButton({ error: { fingerprint, title } }: { readonly error: FailedError }) {
  const [isAsked, ask] = useState(false);
  const bulk = useBulkStart();
  const retry = () =>
    bulk.mutate({ action: 'retry', filter: { state: 'failed', fingerprint } }, { onSettled: () => ask(false) });
  return (
    <>
      <button type="button" class="button" aria-label={`Retry the jobs with ${title}`} onClick={() => ask(true)}>
        {ACTIONS.retry.verb}
      </button>
      {isAsked && (
        <Confirm
          title="Retry all failed jobs with this error?"
          verb="Retry the jobs"
          isBusy={bulk.isPending}
          close={() => ask(false)}
          confirm={retry}
        >
          <p>
            <code>
              <Name text={title} />
            </code>
          </p>
          <p>Older jobs that are not part of the list are retried too. Jobs that fail from now on are not.</p>
        </Confirm>
      )}
    </>
  );
}

const DURATIONS: readonly (readonly [duration: string, label: string])[] = [
  ['1h', '1 hour'],
  ['8h', '8 hours'],
  ['1d', '1 day'],
  ['7d', '7 days'],
  ['30d', '30 days'],
];

/** Ends a mute at once, and asks for how long before it mutes an error. */
function MuteButton({ error: { fingerprint, title, mutedUntil } }: { readonly error: FailedError }) {
  const [isAsked, ask] = useState(false);
  const [duration, setDuration] = useState('1d');
  const change = useErrorMute();
  const verb = mutedUntil === null ? 'Mute' : 'Unmute';
  return (
    <>
      <button
        type="button"
        class="button"
        aria-label={`${verb} ${title}`}
        disabled={change.isPending}
        onClick={() => (mutedUntil === null ? ask(true) : change.mutate({ fingerprint }))}
      >
        {verb}
      </button>
      {isAsked && (
        <Confirm
          title="Mute this error for all users?"
          verb="Mute"
          closeLabel="Keep it listed"
          isBusy={change.isPending}
          close={() => ask(false)}
          confirm={() => change.mutate({ fingerprint, duration }, { onSettled: () => ask(false) })}
        >
          <p>
            <code>
              <Name text={title} />
            </code>
          </p>
          <p>It is listed apart for this time. Its jobs stay failed, and the overview still counts them.</p>
          <label class="field">
            <span>For</span>
            <select value={duration} onChange={({ currentTarget }) => setDuration(currentTarget.value)}>
              {DURATIONS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </Confirm>
      )}
    </>
  );
}

import { useState } from 'preact/hooks';

import { useBulkStart } from '../api/changes.js';
import { useFailures } from '../api/queries.js';
import type { FailedError, FailedErrors } from '../contract.js';
import { ACTIONS } from '../format/labels.js';
import { formatJobs, formatNumber } from '../format/numbers.js';
import { useCanAct } from '../components/for-operators.js';
import { Link, jobPath, pathTo } from '../components/link.js';
import { Empty, Load } from '../components/load.js';
import { Name } from '../components/name.js';
import { Page } from '../components/page.js';
import { Time } from '../components/time.js';
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
  { title: 'Names', cell: ({ names }) => <Name text={names.join(', ')} /> },
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

const WITH_ACTIONS: readonly Column<FailedError>[] = [
  ...COLUMNS,
  { title: 'Actions', class: 'row-actions', cell: (error) => <RetryButton error={error} /> },
];

/** The latest failed jobs by error. */
export function Failures() {
  const failures = useFailures();
  const canAct = useCanAct();
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
              <Table
                caption="Failed jobs by error"
                columns={canAct ? WITH_ACTIONS : COLUMNS}
                rows={found.errors}
                keyOf={({ fingerprint }) => fingerprint}
              />
            </>
          )
        }
      </Load>
    </Page>
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

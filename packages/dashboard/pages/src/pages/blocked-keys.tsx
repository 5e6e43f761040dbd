import { useState } from 'preact/hooks';

import { useBulkStart } from '../api/changes.js';
import { useBlockedKeys } from '../api/queries.js';
import type { BlockedKey } from '../contract.js';
import { ACTIONS } from '../format/labels.js';
import { formatNumber } from '../format/numbers.js';
import { useCanAct } from '../components/for-operators.js';
import { Link, jobPath } from '../components/link.js';
import { Empty, Load } from '../components/load.js';
import { Name } from '../components/name.js';
import { Page } from '../components/page.js';
import { ShowMore } from '../components/show-more.js';
import { Time } from '../components/time.js';
import { Confirm } from '../dialogs/dialog.js';
import { type Column, Table } from '../tables/table.js';

/** More are not counted. */
const MOST_BEHIND = 1_000;

const COLUMNS: readonly Column<BlockedKey>[] = [
  {
    title: 'Order key',
    isHead: true,
    cell: ({ key }) => (
      <code>
        <Name text={key} />
      </code>
    ),
  },
  {
    title: 'Failed job',
    class: 'job',
    cell: ({ jobId, name }) => (
      <Link to={jobPath(jobId)}>
        <Name text={name} /> <code class="quiet">{jobId.slice(-6)}</code>
      </Link>
    ),
  },
  { title: 'Blocked since', cell: ({ blockedAt }) => <Time at={blockedAt} /> },
  {
    title: 'Waiting behind it',
    isNumber: true,
    cell: ({ behind }) => `${formatNumber(behind)}${behind >= MOST_BEHIND ? ' or more' : ''}`,
  },
];

const WITH_ACTIONS: readonly Column<BlockedKey>[] = [
  ...COLUMNS,
  { title: 'Actions', class: 'row-actions', cell: (blocked) => <SkipButton blocked={blocked} /> },
];

/** The order keys that are blocked, because a job has failed. */
export function BlockedKeys() {
  const blocked = useBlockedKeys();
  const canAct = useCanAct();
  return (
    <Page title="Blocked order keys">
      <Load from={blocked} lines={6}>
        {({ pages }) => {
          const rows = pages.flatMap(({ keys }) => keys);
          return rows.length === 0 ? (
            <Empty icon="check" title="No order key is blocked">
              <p>A key is blocked when one of its jobs has failed for good. The later jobs of the key wait then.</p>
            </Empty>
          ) : (
            <>
              <p class="lead">Retry each failed job, or go on without it.</p>
              <Table
                caption="Blocked order keys"
                columns={canAct ? WITH_ACTIONS : COLUMNS}
                rows={rows}
                keyOf={({ jobId }) => jobId}
              />
              <ShowMore from={blocked} />
            </>
          );
        }}
      </Load>
    </Page>
  );
}

function SkipButton({ blocked: { jobId, key, name } }: { readonly blocked: BlockedKey }) {
  const [isAsked, ask] = useState(false);
  const bulk = useBulkStart();
  const skip = () => bulk.mutate({ action: 'skip', filter: { ids: [jobId] } }, { onSettled: () => ask(false) });
  return (
    <>
      <button type="button" class="button" aria-label={`Skip the failed job of ${key}`} onClick={() => ask(true)}>
        {ACTIONS.skip.verb}
      </button>
      {isAsked && (
        <Confirm
          title={`Go on without the failed job of ${name}?`}
          verb="Skip the job"
          isDangerous
          isBusy={bulk.isPending}
          close={() => ask(false)}
          confirm={skip}
        >
          <p>
            It stays failed, and the next job of{' '}
            <code>
              <Name text={key} />
            </code>{' '}
            runs. A later retry comes after all jobs of the key.
          </p>
        </Confirm>
      )}
    </>
  );
}

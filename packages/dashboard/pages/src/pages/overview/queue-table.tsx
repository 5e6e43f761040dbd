import { useState } from 'preact/hooks';

import type { QueueRow } from '../../contract.js';
import { formatNumber, formatRate, formatShare, formatWholeTotal } from '../../format/numbers.js';
import { Badge } from '../../components/badge.js';
import { Link, pathTo, queuePath } from '../../components/link.js';
import { Empty } from '../../components/load.js';
import { Name } from '../../components/name.js';
import { useSorting } from '../../tables/sorting.js';
import { Sparkline } from '../../charts/sparkline.js';
import { type Column, Table } from '../../tables/table.js';
import { Age, Duration } from '../../components/time.js';
import { QueueFilter, useQueueFilter } from './queue-filter.js';

/** Rows that are shown at first: the browser updates all of them once a second. */
const MOST_SHOWN = 50;

const stateColumn = (title: string, state: 'ready' | 'running' | 'scheduled'): Column<QueueRow> => ({
  title,
  isNumber: true,
  order: ({ counts }) => counts[state].count,
  cell: ({ counts, queue }) =>
    counts[state].count === 0 ? (
      <span class="quiet">0</span>
    ) : (
      <Link to={pathTo('/jobs', { state, queue })} class="plain">
        {formatWholeTotal(counts[state])}
      </Link>
    ),
});

const COLUMNS: readonly Column<QueueRow>[] = [
  {
    title: 'Queue',
    isHead: true,
    class: 'clip',
    order: ({ queue }) => queue,
    cell: ({ queue, pausedAt }) => (
      <span class="row-name">
        <Link to={queuePath(queue)}>
          <Name text={queue} most={22} />
        </Link>
        {pausedAt !== null && <Badge tone="warn">paused</Badge>}
      </span>
    ),
  },
  stateColumn('Ready', 'ready'),
  stateColumn('Running', 'running'),
  stateColumn('Scheduled', 'scheduled'),
  {
    title: 'Oldest ready',
    isNumber: true,
    order: ({ oldestReady }) => oldestReady,
    cell: ({ oldestReady }) => <Age ms={oldestReady} />,
  },
  {
    title: 'Latency',
    isNumber: true,
    order: ({ latency }) => latency,
    cell: ({ latency }) => <Duration ms={latency} />,
  },
  {
    title: 'Failures',
    isNumber: true,
    order: ({ failureRate }) => failureRate,
    cell: ({ failureRate, problems }) =>
      failureRate === null ? (
        <span class="quiet">–</span>
      ) : (
        <span class={problems.includes('failing-attempts') ? 'bad' : undefined}>{formatShare(failureRate)}</span>
      ),
  },
  {
    title: 'Workers',
    isNumber: true,
    order: ({ workers }) => workers,
    cell: ({ workers, problems }) => <span class={problems.includes('no-worker') ? 'bad' : undefined}>{workers}</span>,
  },
  {
    title: 'A second',
    class: 'flow',
    order: ({ throughput }) => throughput,
    cell: ({ throughput, spark }) => (
      <span class="flow-cell">
        <Sparkline values={spark} />
        <span class="number">{formatRate(throughput)}</span>
      </span>
    ),
  },
];

/** The queues that match the filter in the URL. */
export function QueueTable({ queues }: { readonly queues: readonly QueueRow[] }) {
  const sorting = useSorting('Queue');
  const filter = useQueueFilter(queues);
  const [isWhole, showWhole] = useState(false);
  const { shown } = filter;
  const most = isWhole ? shown.length : MOST_SHOWN;
  return (
    <>
      <QueueFilter total={queues.length} filter={filter} />
      {shown.length === 0 ? (
        <Empty icon="search" title="No queue matches" />
      ) : (
        <Table
          caption="Queues"
          columns={COLUMNS}
          rows={shown}
          keyOf={({ queue }) => queue}
          sorting={sorting}
          most={most}
        />
      )}
      {shown.length > most && (
        <div class="pager">
          <button type="button" class="button" onClick={() => showWhole(true)}>
            Show {formatNumber(shown.length - most)} more queues
          </button>
        </div>
      )}
    </>
  );
}

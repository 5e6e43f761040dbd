import { useQueues } from '../../api/queries.js';
import type { QueueColumn, QueueRow } from '../../contract.js';
import { formatRate, formatShare, formatWholeTotal } from '../../format/numbers.js';
import { Badge } from '../../components/badge.js';
import { Link, pathTo, queuePath } from '../../components/link.js';
import { Empty, Load } from '../../components/load.js';
import { Name } from '../../components/name.js';
import { useSorting } from '../../tables/sorting.js';
import { Sparkline } from '../../charts/sparkline.js';
import { type Column, Table } from '../../tables/table.js';
import { Age, Duration } from '../../components/time.js';
import { useParameters } from '../../state/parameters.js';
import { QueueFilter, useQueueFilter } from './queue-filter.js';
import { QueuePager } from './queue-pager.js';

/** The server sorts the queues, because it sends only one page of them. */
interface SortedColumn extends Column<QueueRow> {
  readonly serverOrder: QueueColumn;
}

const stateColumn = (title: string, state: 'ready' | 'running' | 'scheduled'): SortedColumn => ({
  title,
  isNumber: true,
  serverOrder: state,
  cell: ({ counts, queue }) =>
    counts[state].count === 0 ? (
      <span class="quiet">0</span>
    ) : (
      <Link to={pathTo('/jobs', { state, queue })} class="plain">
        {formatWholeTotal(counts[state])}
      </Link>
    ),
});

const COLUMNS: readonly SortedColumn[] = [
  {
    title: 'Queue',
    isHead: true,
    class: 'clip',
    serverOrder: 'queue',
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
    serverOrder: 'oldestReady',
    cell: ({ oldestReady }) => <Age ms={oldestReady} />,
  },
  {
    title: 'Latency',
    isNumber: true,
    serverOrder: 'latency',
    cell: ({ latency }) => <Duration ms={latency} />,
  },
  {
    title: 'Failures',
    isNumber: true,
    serverOrder: 'failureRate',
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
    serverOrder: 'workers',
    cell: ({ workers, problems }) => <span class={problems.includes('no-worker') ? 'bad' : undefined}>{workers}</span>,
  },
  {
    title: 'A second',
    class: 'flow',
    serverOrder: 'throughput',
    cell: ({ throughput, spark }) => (
      <span class="flow-cell">
        <Sparkline values={spark} />
        <span class="number">{formatRate(throughput)}</span>
      </span>
    ),
  },
];

/** A page of the queues that match the filter in the URL. */
export function QueueTable({ total }: { readonly total: number }) {
  const { parameters, change } = useParameters();
  const sorting = useSorting('Queue', { from: undefined });
  const filter = useQueueFilter();
  const offset = Math.max(0, Math.trunc(Number(parameters.get('from')) || 0));
  const queues = useQueues({
    contains: filter.text.trim(),
    problem: filter.kind,
    trouble: filter.isTroubleOnly ? 'true' : undefined,
    sort: COLUMNS.find(({ title }) => title === sorting.by)?.serverOrder,
    descending: sorting.isDescending ? 'true' : undefined,
    offset,
  });
  return (
    <>
      <QueueFilter total={total} page={queues.data} filter={filter} />
      <Load from={queues}>
        {(page) =>
          page.matching === 0 ? (
            <Empty icon="search" title="No queue matches" />
          ) : (
            <>
              <Table
                caption="Queues"
                columns={COLUMNS}
                rows={page.queues}
                keyOf={({ queue }) => queue}
                sorting={sorting}
              />
              <QueuePager page={page} showFrom={(from) => change({ from: from === 0 ? undefined : String(from) })} />
            </>
          )
        }
      </Load>
    </>
  );
}

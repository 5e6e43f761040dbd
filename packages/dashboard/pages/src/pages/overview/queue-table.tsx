import type { QueueRow } from '../../contract.js';
import { formatCount, formatRate, formatShare } from '../../format/numbers.js';
import { Badge } from '../../components/badge.js';
import { Link, pathTo, queuePath } from '../../components/link.js';
import { useSorting } from '../../tables/sorting.js';
import { Sparkline } from '../../charts/sparkline.js';
import { type Column, Table } from '../../tables/table.js';
import { Duration } from '../../components/time.js';

/** The failure rate that is shown in red. */
const HIGH_FAILURE_RATE = 0.05;

const stateColumn = (title: string, state: 'ready' | 'running' | 'scheduled'): Column<QueueRow> => ({
  title,
  isNumber: true,
  order: ({ counts }) => counts[state].count,
  cell: ({ counts, queue }) =>
    counts[state].count === 0 ? (
      <span class="quiet">0</span>
    ) : (
      <Link to={pathTo('/jobs', { state, queue })} class="plain">
        {formatCount(counts[state])}
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
        <Link to={queuePath(queue)} title={queue}>
          {queue}
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
    cell: ({ oldestReady }) => <Duration ms={oldestReady} />,
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
    cell: ({ failureRate }) =>
      failureRate === null ? (
        <span class="quiet">–</span>
      ) : (
        <span class={failureRate >= HIGH_FAILURE_RATE ? 'bad' : undefined}>{formatShare(failureRate)}</span>
      ),
  },
  { title: 'Workers', isNumber: true, order: ({ workers }) => workers, cell: ({ workers }) => workers },
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

export function QueueTable({ queues }: { readonly queues: readonly QueueRow[] }) {
  const sorting = useSorting('Queue');
  return <Table caption="Queues" columns={COLUMNS} rows={queues} keyOf={({ queue }) => queue} sorting={sorting} />;
}

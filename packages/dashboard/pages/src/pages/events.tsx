import { useQueues, useSubscriptions } from '../api/queries.js';
import type { QueueRow, SubscriptionRow } from '../contract.js';
import { formatDuration } from '../format/durations.js';
import { formatCount } from '../format/numbers.js';
import { Badge } from '../components/badge.js';
import { Link, pathTo } from '../components/link.js';
import { Empty, Load } from '../components/load.js';
import { Name } from '../components/name.js';
import { Page } from '../components/page.js';
import { ShowMore } from '../components/show-more.js';
import { Since, Time } from '../components/time.js';
import { EmptyValue } from '../components/empty-value.js';
import { QUEUE_COLUMN } from '../tables/queue-column.js';
import { type Column, Table } from '../tables/table.js';

/** The queue of published events. */
const EVENTS_QUEUE = 'tablequeue.events';

const COLUMNS: readonly Column<SubscriptionRow>[] = [
  {
    title: 'Subscription',
    isHead: true,
    class: 'job',
    cell: ({ event, name, unhandledSince }) => (
      <>
        <span class="row-name">
          <Name text={name} />
          {unhandledSince !== null && <Badge tone="warn">no worker</Badge>}
        </span>
        <span class="quiet below">
          <Name text={event} most={40} />
        </span>
      </>
    ),
  },
  QUEUE_COLUMN,
  {
    title: 'Unfinished jobs',
    isNumber: true,
    cell: ({ unfinished, queue, job }) => (
      <Link to={pathTo('/jobs', { state: 'ready', queue, name: job })} class="plain">
        {formatCount(unfinished)}
      </Link>
    ),
  },
  {
    title: 'Behind by',
    isNumber: true,
    cell: ({ oldestAt }) => (oldestAt === null ? <EmptyValue /> : <Since at={oldestAt} />),
  },
  { title: 'Registered', cell: ({ registeredAt }) => <Time at={registeredAt} /> },
  { title: 'Without a worker since', cell: ({ unhandledSince }) => <Time at={unhandledSince} /> },
];

/** The subscriptions of events, and how far they are behind. */
export function Events() {
  const subscriptions = useSubscriptions();
  // Not by its name, which would be an error without events.
  const events = useQueues({ contains: EVENTS_QUEUE }).data?.queues.find(({ queue }) => queue === EVENTS_QUEUE);
  return (
    <Page title="Events">
      <p class="lead">
        {pendingText(events)}{' '}
        <Link to={pathTo('/jobs', { state: 'succeeded', queue: EVENTS_QUEUE })}>See published events</Link>
      </p>
      <Load from={subscriptions} lines={6}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.subscriptions);
          return rows.length === 0 ? (
            <Empty icon="events" title="No subscriptions">
              <p>Subscriptions of events are listed here after a worker with their handler has started.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Subscriptions, by event" columns={COLUMNS} rows={rows} keyOf={({ job }) => job} />
              <ShowMore from={subscriptions} />
            </>
          );
        }}
      </Load>
    </Page>
  );
}

function pendingText(events: QueueRow | undefined): string {
  if (!events || events.counts.ready.count === 0) {
    return 'No event waits to be fanned out.';
  }
  const { counts, oldestReady } = events;
  const age = oldestReady === null ? '' : `, the oldest for ${formatDuration(oldestReady)}`;
  return `Events that wait to be fanned out: ${formatCount(counts.ready)}${age}.`;
}

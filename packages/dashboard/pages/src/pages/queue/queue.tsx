import { useState } from 'preact/hooks';

import { useOverview } from '../../api/queries.js';
import { useQueueChange } from '../../api/changes.js';
import type { Overview, QueueRow, Series } from '../../contract.js';
import { formatCount, formatRate, formatShare } from '../../format/numbers.js';
import { LIVE_STATES, capitalize } from '../../format/labels.js';
import { ForOperators } from '../../components/for-operators.js';
import { Badge } from '../../components/badge.js';
import { Icon } from '../../components/icon.js';
import { Link, pathTo } from '../../components/link.js';
import { Page } from '../../components/page.js';
import { SeriesCharts } from '../../charts/series-charts.js';
import { SpanChoice } from '../../charts/span-choice.js';
import { Empty, Load } from '../../components/load.js';
import { Tile, Tiles } from '../../components/tile.js';
import { Duration, Since } from '../../components/time.js';
import { AttentionList } from '../overview/attention-list.js';
import { Limits } from './limits.js';

export function QueuePage({ queue }: { readonly queue: string }) {
  const overview = useOverview();
  const row = overview.data?.queues.find((known) => known.queue === queue);
  return (
    <Page
      title={queue}
      before={
        <Link to={pathTo('/')} class="crumb">
          Queues
        </Link>
      }
      beside={row && row.pausedAt !== null && <PausedBadge at={row.pausedAt} />}
      actions={
        <>
          <Link to={pathTo('/jobs', { queue })} class="button">
            Jobs
          </Link>
          <ForOperators>{row && <PauseButton row={row} />}</ForOperators>
        </>
      }
    >
      <Load from={overview}>
        {(data) =>
          row ? (
            <Details row={row} overview={data} />
          ) : (
            <Empty icon="search" title={`There is no queue ${queue}`}>
              <p>A queue exists while it has jobs, settings or workers.</p>
            </Empty>
          )
        }
      </Load>
    </Page>
  );
}

const PausedBadge = ({ at }: { readonly at: number }) => (
  <Badge tone="warn">
    paused for <Since at={at} />
  </Badge>
);

function PauseButton({ row: { queue, pausedAt } }: { readonly row: QueueRow }) {
  const { pausing } = useQueueChange();
  const pause = pausedAt === null;
  return (
    <button type="button" class="button" disabled={pausing.isPending} onClick={() => pausing.mutate({ queue, pause })}>
      <Icon name={pause ? 'pause' : 'play'} />
      {pause ? 'Pause' : 'Resume'}
    </button>
  );
}

function Details({ row, overview }: { readonly row: QueueRow; readonly overview: Overview }) {
  const [span, setSpan] = useState<Series['span']>('hour');
  const { queue } = row;
  const attention = overview.attention.filter((item) => item.queue === queue);
  return (
    <>
      {attention.length > 0 && <AttentionList overview={{ ...overview, attention }} />}
      <Tiles label="Jobs by state">
        {LIVE_STATES.map((state) => (
          <Tile
            key={state}
            name={capitalize(state)}
            value={formatCount(row.counts[state])}
            to={pathTo('/jobs', { state, queue })}
            mark={state}
          />
        ))}
      </Tiles>
      <dl class="facts facts-wide">
        <div>
          <dt>Oldest ready</dt>
          <dd>
            <Duration ms={row.oldestReady} none="none" />
          </dd>
        </div>
        <div>
          <dt>Latency</dt>
          <dd>
            <Duration ms={row.latency} none="none" />
          </dd>
        </div>
        <div>
          <dt>Finished a second</dt>
          <dd class="number">{formatRate(row.throughput)}</dd>
        </div>
        <div>
          <dt>Failed attempts</dt>
          <dd class="number">{row.failureRate === null ? 'none' : formatShare(row.failureRate)}</dd>
        </div>
        <div>
          <dt>Workers</dt>
          <dd class="number">{row.workers}</dd>
        </div>
        {row.weights.some((weight) => weight !== 1) && (
          <div>
            <dt>Weight</dt>
            <dd class="number">{row.weights.join(' or ')}</dd>
          </div>
        )}
        <div>
          <dt>Ended jobs</dt>
          <dd class="inline-links">
            {(['failed', 'succeeded', 'cancelled'] as const).map((state) => (
              <Link key={state} to={pathTo('/jobs', { state, queue })}>
                {state}
              </Link>
            ))}
          </dd>
        </div>
      </dl>
      <section aria-labelledby="flow">
        <div class="section-head">
          <h2 id="flow">Throughput</h2>
          <SpanChoice span={span} choose={setSpan} />
        </div>
        <SeriesCharts span={span} queue={queue} />
      </section>
      <Limits key={JSON.stringify(row.limits)} row={row} />
    </>
  );
}

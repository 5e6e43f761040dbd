import { useOverview, useQueue } from '../../api/queries.js';
import { RequestError } from '../../api/request-error.js';
import type { HealthProblem, QueueRow } from '../../contract.js';
import { formatRate, formatShare, formatWholeTotal } from '../../format/numbers.js';
import { LIVE_STATES, capitalize } from '../../format/labels.js';
import { ForOperators } from '../../components/for-operators.js';
import { Badge } from '../../components/badge.js';
import { Link, pathTo } from '../../components/link.js';
import { Page } from '../../components/page.js';
import { ThroughputCharts } from '../../charts/series-charts.js';
import { Empty, Load } from '../../components/load.js';
import { Tile, Tiles } from '../../components/tile.js';
import { Age, Duration, Since } from '../../components/time.js';
import { Fact } from '../../components/section.js';
import { ProblemList } from '../overview/problem-list.js';
import { EnqueueButton } from './enqueue-button.js';
import { Limits } from './limits.js';
import { PauseButton } from './pause-button.js';

export function QueuePage({ queue }: { readonly queue: string }) {
  const found = useQueue(queue);
  const problems = useOverview().data?.problems ?? [];
  const isMissing = found.error instanceof RequestError && found.error.problem.status === 404;
  const row = isMissing ? undefined : found.data;
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
          <ForOperators>
            {row && <EnqueueButton queue={queue} />}
            {row && <PauseButton row={row} />}
          </ForOperators>
        </>
      }
    >
      {isMissing ? (
        <Empty icon="search" title={`There is no queue ${queue}`}>
          <p>A queue exists while it has jobs, settings or workers.</p>
        </Empty>
      ) : (
        <Load from={found}>{(data) => <Details row={data} problems={problems} />}</Load>
      )}
    </Page>
  );
}

const PausedBadge = ({ at }: { readonly at: number }) => (
  <Badge tone="warn">
    paused for <Since at={at} />
  </Badge>
);

interface DetailsProps {
  readonly row: QueueRow;
  /** The problems of all queues. */
  readonly problems: readonly HealthProblem[];
}

function Details({ row, problems }: DetailsProps) {
  const { queue } = row;
  const own = problems.filter(({ kind }) => row.problems.includes(kind));
  return (
    <>
      {own.length > 0 && <ProblemList problems={own} />}
      <Tiles label="Jobs by state">
        {LIVE_STATES.map((state) => (
          <Tile
            key={state}
            name={capitalize(state)}
            value={formatWholeTotal(row.counts[state])}
            to={pathTo('/jobs', { state, queue })}
            mark={state}
          />
        ))}
      </Tiles>
      <dl class="facts facts-wide">
        <Fact name="Oldest ready">
          <Age ms={row.oldestReady} none="none" />
        </Fact>
        <Fact name="Latency">
          <Duration ms={row.latency} none="none" />
        </Fact>
        <Fact name="Finished a second" class="number">
          {formatRate(row.throughput)}
        </Fact>
        <Fact name="Failed attempts" class="number">
          {row.failureRate === null ? 'none' : formatShare(row.failureRate)}
        </Fact>
        <Fact name="Workers" class="number">
          {row.workers}
        </Fact>
        {row.weights.some((weight) => weight !== 1) && (
          <Fact name="Weight" class="number">
            {row.weights.join(' or ')}
          </Fact>
        )}
        <Fact name="Ended jobs" class="inline-links">
          {(['failed', 'succeeded', 'cancelled', 'expired'] as const).map((state) => (
            <Link key={state} to={pathTo('/jobs', { state, queue })}>
              <span class="number">{formatWholeTotal(row.counts[state])} </span>
              {state}
            </Link>
          ))}
        </Fact>
      </dl>
      <ThroughputCharts queue={queue} />
      <Limits key={JSON.stringify(row.limits)} row={row} />
    </>
  );
}

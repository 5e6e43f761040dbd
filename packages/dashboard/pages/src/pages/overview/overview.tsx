import { useOverview } from '../../api/queries.js';
import type { Overview } from '../../contract.js';
import { formatRate, formatShortCount } from '../../format/numbers.js';
import { DAY } from '../../format/times.js';
import { LIVE_STATES, capitalize } from '../../format/labels.js';
import { pathTo } from '../../components/link.js';
import { Page } from '../../components/page.js';
import { ThroughputCharts } from '../../charts/series-charts.js';
import { Empty, Load } from '../../components/load.js';
import { Tile, Tiles } from '../../components/tile.js';
import { Section } from '../../components/section.js';
import { Verdict } from './verdict.js';
import { TotalValue } from './total-value.js';
import { QueueTable } from './queue-table.js';

export function OverviewPage() {
  const overview = useOverview();
  return (
    <Page title="Overview">
      <Load from={overview}>
        {(data) =>
          data.queueCount === 0 ? (
            <Empty icon="jobs" title="No jobs yet">
              <p>A queue is listed here after its first job.</p>
            </Empty>
          ) : (
            <>
              <Verdict overview={data} />
              <Totals overview={data} />
              <ThroughputCharts />
              <Section id="queues" title="Queues">
                <QueueTable total={data.queueCount} />
              </Section>
            </>
          )
        }
      </Load>
    </Page>
  );
}

function Totals({ overview }: { readonly overview: Overview }) {
  return (
    <Tiles label="Jobs by state">
      {LIVE_STATES.map((state) => (
        <Tile
          key={state}
          name={capitalize(state)}
          value={<TotalValue total={overview.totals[state]} />}
          to={pathTo('/jobs', { state })}
          mark={state}
        />
      ))}
      <Tile
        name="Failed, last day"
        value={formatShortCount(overview.failedLastDay)}
        to={pathTo('/jobs', { state: 'failed', within: DAY })}
        mark="failed"
      />
      <Tile name="Finished a second" value={formatRate(overview.throughput)} />
    </Tiles>
  );
}

import { useMemo, useState } from 'preact/hooks';

import { useSeries } from '../api/queries.js';
import { Load } from '../components/load.js';
import { Section } from '../components/section.js';
import type { Series } from '../contract.js';
import { formatDuration } from '../format/durations.js';
import { formatCompact } from '../format/numbers.js';
import { formatClock } from '../format/times.js';
import { Chart } from './chart.js';
import { summaryOfEnds, summaryOfLatency } from './summaries.js';

/** The throughput and the latency of all queues, or of one, in a span that the user chooses. */
export function ThroughputCharts({ queue }: { readonly queue?: string }) {
  const [span, setSpan] = useState<Series['span']>('hour');
  const series = useSeries(span, queue);
  return (
    <Section id="flow" title="Throughput" beside={<SpanChoice span={span} choose={setSpan} />}>
      <Load from={series} lines={8}>
        {(data) => <Charts series={data} />}
      </Load>
    </Section>
  );
}

function Charts({ series }: { readonly series: Series }) {
  const { points, bucket } = series;
  const drawn = useMemo(
    () => ({
      times: points.map(({ at }) => at),
      finished: [
        { label: 'Failed', color: 'chart-failed', values: points.map(({ failed }) => failed) },
        { label: 'Retried', color: 'chart-retried', values: points.map(({ retried }) => retried) },
        { label: 'Succeeded', color: 'chart-succeeded', values: points.map(({ succeeded }) => succeeded) },
      ],
      spans: [
        { label: 'Latency', color: 'chart-ready', values: points.map(({ latencyMean }) => latencyMean) },
        { label: 'Highest latency', color: 'chart-highest', values: points.map(({ latencyMax }) => latencyMax) },
        { label: 'Run time', color: 'chart-running', values: points.map(({ runMean }) => runMean) },
      ],
    }),
    [points],
  );
  return (
    <div class="charts">
      <Chart
        title={`Ended attempts ${bucket === 60_000 ? 'a minute' : 'in 15 minutes'}`}
        summary={summaryOfEnds(series)}
        times={drawn.times}
        series={drawn.finished}
        kind="bars"
        format={formatCompact}
        formatTime={formatClock}
      />
      <Chart
        title="Latency and run time"
        summary={summaryOfLatency(series)}
        times={drawn.times}
        series={drawn.spans}
        kind="lines"
        format={formatDuration}
        formatTime={formatClock}
      />
    </div>
  );
}

const SPANS = [
  ['hour', 'Last hour'],
  ['day', 'Last day'],
] as const;

interface SpanChoiceProps {
  readonly span: Series['span'];
  readonly choose: (span: Series['span']) => void;
}

function SpanChoice({ span, choose }: SpanChoiceProps) {
  return (
    <div class="segments" role="group" aria-label="Span of the charts">
      {SPANS.map(([value, name]) => (
        <button key={value} type="button" aria-pressed={span === value} onClick={() => choose(value)}>
          {name}
        </button>
      ))}
    </div>
  );
}

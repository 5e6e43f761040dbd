import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { chartOptions } from './chart-options.js';
import { paintVersion } from '../state/theme.js';

export interface ChartSeries {
  readonly label: string;
  /** The name of a CSS custom property, without its dashes. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** Describes the chart in one sentence, for screen readers. */
  readonly summary: string;
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  /** Bars are stacked, the first at the bottom. Lines are not. */
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  readonly formatTime: (at: number) => string;
}

const HEIGHT = 190;

export function Chart(props: ChartProps) {
  const { title, summary, times, series, kind, format, formatTime } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [pointed, setPointed] = useState<number | null>(null);
  const version = paintVersion.value;
  const lines = series.length;

  useEffect(() => {
    const element = frame.current;
    if (!element) {
      return;
    }
    const size = () => ({ width: Math.max(element.clientWidth, 200), height: HEIGHT });
    plot.current = new uPlot({ ...chartOptions(props, setPointed), ...size() }, dataOf(times, series, kind), element);
    const watcher = new ResizeObserver(() => plot.current?.setSize(size()));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.current?.destroy();
    };
    // Created again only if the series or their colors change. The effect below updates the figures.
  }, [version, lines, kind]);

  useEffect(() => plot.current?.setData(dataOf(times, series, kind)), [times, series, kind]);

  const at = pointed === null ? undefined : times[pointed];
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <ul class="legend">
          {series.map(({ label, color, values }) => (
            <li key={label}>
              <span class={`legend-mark mark-${color}`} aria-hidden="true" />
              {label}
              {pointed !== null && <b class="number">{formatValue(values[pointed], format)}</b>}
            </li>
          ))}
          {at !== undefined && <li class="legend-time number">{formatTime(at)}</li>}
        </ul>
      </figcaption>
      <div ref={frame} class="chart-frame" role="img" aria-label={summary} />
      <details class="chart-figures">
        <summary>
          Figures<span class="unseen"> of {title}</span>
        </summary>
        <div class="table-scroll" tabIndex={0} role="region" aria-label={`${title}: figures`}>
          <table>
            <caption class="unseen">{summary}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" class="number">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times
                .map((time, index) => (
                  <tr key={time}>
                    <th scope="row">{formatTime(time)}</th>
                    {series.map(({ label, values }) => (
                      <td key={label} class="number">
                        {formatValue(values[index], format)}
                      </td>
                    ))}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const formatValue = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);

/** uPlot paints the series in order, so stacked bars are sums, highest first: each covers part of the one before. */
function dataOf(times: readonly number[], series: readonly ChartSeries[], kind: ChartProps['kind']): uPlot.AlignedData {
  const seconds = times.map((time) => time / 1000);
  if (kind === 'lines') {
    return [seconds, ...series.map(({ values }) => [...values])];
  }
  const sums = series.map((_line, last) =>
    times.map((_time, index) => series.slice(0, last + 1).reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  );
  return [seconds, ...sums.toReversed()];
}

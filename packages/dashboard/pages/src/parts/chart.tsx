import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { chartOptions } from './chart-options.js';
import { paintings } from './theme.js';

export interface ChartSeries {
  readonly label: string;
  /** A colour of the style sheet, without its dashes. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** What there is to see, in a sentence, for whoever does not see it. */
  readonly summary: string;
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  /** Bars stand on one another, the first at the bottom; lines go by themselves. */
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
  const painting = paintings.value;
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
    // Made anew only where the lines or their colours change; new figures go in below.
  }, [painting, lines, kind]);

  useEffect(() => plot.current?.setData(dataOf(times, series, kind)), [times, series, kind]);

  const at = pointed === null ? undefined : times[pointed];
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <ul class="legend">
          {series.map(({ label, colour, values }) => (
            <li key={label}>
              <span class={`legend-mark mark-${colour}`} aria-hidden="true" />
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

/** uPlot paints in order, so stacked bars go from the highest sum to the lowest, each over the one before. */
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

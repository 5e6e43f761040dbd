import uPlot from 'uplot';

import { formatClock } from '../format/times.js';
import type { ChartProps } from './chart.js';

type Options = Omit<uPlot.Options, 'width' | 'height'>;

/** Resolves a CSS custom property to the color of the current theme, which a canvas needs. */
function resolveColor(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

export function chartOptions({ series, kind, format }: ChartProps, point: (index: number | null) => void): Options {
  const resolved = series.map(({ label, color }) => ({
    label,
    stroke: resolveColor(color),
    fill: resolveColor(color),
  }));
  const axis = {
    stroke: resolveColor('text-quiet'),
    font: '12px system-ui, sans-serif',
    ticks: { show: false },
    grid: { stroke: resolveColor('line-soft'), width: 1 },
  };
  return {
    // Right: half the width of the last label.
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: kind === 'lines', size: 7 }, drag: { x: false, y: false } },
    scales: {
      // Half a bar more at both ends.
      ...(kind === 'bars' && { x: { range: (plot, low, high) => paddedRange(plot.data[0], low, high) } }),
      y: { range: (_plot, _low, high) => [0, paddedMaximum(high)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 72,
        values: (_plot, ticks) => ticks.map((tick) => formatClock(tick * 1000)),
      },
      { ...axis, size: 56, space: 36, values: (_plot, ticks) => ticks.map((tick) => format(tick)) },
    ],
    series: [{}, ...(kind === 'bars' ? bars(resolved) : lines(resolved))],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  };
}

interface ResolvedSeries {
  readonly label: string;
  readonly stroke: string;
  readonly fill: string;
}

const bars = (series: readonly ResolvedSeries[]): uPlot.Series[] =>
  series
    .map(({ label, fill }) => ({
      label,
      fill,
      width: 0,
      points: { show: false },
      ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.72, 14], radius: 0.12 }) }),
    }))
    .toReversed();

const lines = (series: readonly ResolvedSeries[]): uPlot.Series[] =>
  series.map(({ label, stroke }) => ({
    label,
    stroke,
    width: 1.75,
    points: { show: true, size: 5, fill: stroke, filter: isolatedPoints },
    spanGaps: false,
  }));

/** Returns the points without neighbors: no line leads to them. */
function isolatedPoints({ data }: uPlot, series: number): number[] {
  const values = data[series] ?? [];
  const hasValue = (index: number) => (values[index] ?? null) !== null;
  return Array.from(values, (_value, index) => index).filter(
    (index) => hasValue(index) && !hasValue(index - 1) && !hasValue(index + 1),
  );
}

/** Leaves space above the maximum, and gives an empty chart a scale. */
const paddedMaximum = (high: number | null): number => (high ? high * 1.08 : 1);

function paddedRange(times: ArrayLike<number>, low: number, high: number): uPlot.Range.MinMax {
  const half = times.length > 1 ? (high - low) / (times.length - 1) / 2 : 30;
  return [low - half, high + half];
}

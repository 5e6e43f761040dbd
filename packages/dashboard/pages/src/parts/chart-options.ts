import uPlot from 'uplot';

import { formatClock } from '../format/times.js';
import type { ChartProps } from './chart.js';

type Options = Omit<uPlot.Options, 'width' | 'height'>;

/** A colour of the style sheet as a canvas needs it: resolved for the theme that is on. */
function paint(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

export function chartOptions({ series, kind, format }: ChartProps, point: (index: number | null) => void): Options {
  const painted = series.map(({ label, colour }) => ({ label, stroke: paint(colour), fill: paint(colour) }));
  const axis = {
    stroke: paint('text-quiet'),
    font: '12px system-ui, sans-serif',
    ticks: { show: false },
    grid: { stroke: paint('line-soft'), width: 1 },
  };
  return {
    // At the right for the half of the last time that stands beside its tick.
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: kind === 'lines', size: 7 }, drag: { x: false, y: false } },
    scales: {
      // Half a bar at either end.
      ...(kind === 'bars' && { x: { range: (plot, low, high) => widened(plot.data[0], low, high) } }),
      y: { range: (_plot, _low, high) => [0, niceTop(high)] },
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
    series: [{}, ...(kind === 'bars' ? bars(painted) : lines(painted))],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  };
}

interface Painted {
  readonly label: string;
  readonly stroke: string;
  readonly fill: string;
}

const bars = (painted: readonly Painted[]): uPlot.Series[] =>
  painted
    .map(({ label, fill }) => ({
      label,
      fill,
      width: 0,
      points: { show: false },
      ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.72, 14], radius: 0.12 }) }),
    }))
    .toReversed();

const lines = (painted: readonly Painted[]): uPlot.Series[] =>
  painted.map(({ label, stroke }) => ({
    label,
    stroke,
    width: 1.75,
    points: { show: true, size: 5, fill: stroke, filter: alone },
    spanGaps: false,
  }));

/** Those with nothing on either side: no line leads to them. */
function alone({ data }: uPlot, series: number): number[] {
  const values = data[series] ?? [];
  const isThere = (index: number) => (values[index] ?? null) !== null;
  return Array.from(values, (_value, index) => index).filter(
    (index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  );
}

/** Room above the highest, and a scale where nothing has happened. */
const niceTop = (high: number | null): number => (high ? high * 1.08 : 1);

function widened(times: ArrayLike<number>, low: number, high: number): uPlot.Range.MinMax {
  const half = times.length > 1 ? (high - low) / (times.length - 1) / 2 : 30;
  return [low - half, high + half];
}

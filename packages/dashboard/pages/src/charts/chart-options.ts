import uPlot from 'uplot';

import { formatClock } from '../format/times.js';
import type { ChartProps } from './chart.js';

type Options = Omit<uPlot.Options, 'width' | 'height'>;

const FONT = '12px system-ui, sans-serif';

/** The distances between the ticks of a chart of counts. A fraction would be rounded, and a label shown twice. */
const COUNTS = Array.from({ length: 12 }, (_power, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** The distances between the ticks of a chart of durations, in ms. */
const DURATIONS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12, 24, 48, 120, 240, 720, 2400, 8760].map((hours) => hours * HOUR),
];

/** Returns the width of the widest label on the canvas, in px. */
function widthOf(labels: readonly string[]): number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) {
    return 40;
  }
  context.font = FONT;
  return labels.reduce((widest, label) => Math.max(widest, context.measureText(label).width), 0);
}

/** Resolves a CSS custom property to the color of the current theme, which a canvas needs. */
function resolveColor(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

export function chartOptions(
  { series, kind, times, format }: ChartProps,
  point: (index: number | null) => void,
): Options {
  const resolved = series.map(({ label, color }) => ({
    label,
    stroke: resolveColor(color),
    fill: resolveColor(color),
  }));
  const axis = {
    stroke: resolveColor('text-quiet'),
    font: FONT,
    ticks: { show: false },
    grid: { stroke: resolveColor('line-soft'), width: 1 },
  };
  return {
    // Right: half the width of the last label.
    padding: [8, Math.ceil(widthOf(times.map(formatClock)) / 2) + 4, 0, 0],
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
      {
        ...axis,
        size: (_plot, labels: string[] | null) => widthOf(labels ?? []) + 16,
        space: 36,
        incrs: kind === 'bars' ? COUNTS : DURATIONS,
        values: (_plot, ticks) => ticks.map((tick) => format(tick)),
      },
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
    points: { show: true, size: 5, fill: stroke, filter: pointsAtGaps },
    // Single minutes of an idle queue would be scraps.
    spanGaps: true,
  }));

/** Returns the points at gaps: the line across a gap has no values. */
function pointsAtGaps({ data }: uPlot, series: number): number[] {
  const values = data[series] ?? [];
  const hasValue = (index: number) => (values[index] ?? null) !== null;
  const isGap = (index: number) => index >= 0 && index < values.length && !hasValue(index);
  return Array.from(values, (_value, index) => index).filter(
    (index) => hasValue(index) && (isGap(index - 1) || isGap(index + 1)),
  );
}

/** Leaves space above the maximum, and gives an empty chart a scale. */
const paddedMaximum = (high: number | null): number => Math.max((high ?? 0) * 1.08, 1);

function paddedRange(times: ArrayLike<number>, low: number, high: number): uPlot.Range.MinMax {
  const half = times.length > 1 ? (high - low) / (times.length - 1) / 2 : 30;
  return [low - half, high + half];
}

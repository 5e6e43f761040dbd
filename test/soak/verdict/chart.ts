import type { SoakRecord } from '../sample.js';
import type { Point } from './growth.js';
import { seriesOf } from './series.js';
import { WARM_UP, pointsOf } from './verdict.js';

const COLUMNS = 3;
const PANEL = { width: 330, height: 200, left: 46, top: 44, right: 24, bottom: 22 } as const;
const PLOT = {
  width: PANEL.width - PANEL.left - PANEL.right,
  height: PANEL.height - PANEL.top - PANEL.bottom,
} as const;
const HEAD = 34;
/** Distinguishable in grays too; series without a color of their own use the last one. */
const COLORS = ['#2563a8', '#c2571a', '#2f8f5b', '#8a4fbf', '#555555', '#b9b9b9'] as const;
const OTHER = COLORS.length - 1;
const MINUTE = 60_000;

interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

/** The run as an SVG: a small chart for each kind of series. The time before anything is judged is grey. */
export function chartOf({ header, samples }: SoakRecord): string {
  const { plan, version, machine } = header;
  const shown = samples.filter(({ at }) => at < plan.duration);
  const charts = new Map<string, Line[]>();
  for (const series of seriesOf(shown)) {
    const points = pointsOf(series, shown);
    if (points.length > 1) {
      charts.set(series.chart, [...(charts.get(series.chart) ?? []), { name: series.name, points }]);
    }
  }
  const panels = [...charts].map(([title, lines], index) => {
    const [x, y] = [(index % COLUMNS) * PANEL.width, HEAD + Math.floor(index / COLUMNS) * PANEL.height];
    return `<g transform="translate(${x} ${y})">${panelOf(title, lines, plan.duration)}</g>`;
  });
  const [width, height] = [COLUMNS * PANEL.width, HEAD + Math.ceil(charts.size / COLUMNS) * PANEL.height];
  const title = `${version}: ${plan.rate} jobs a second for ${plan.duration / MINUTE} minutes. ${machine}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10" fill="#333333">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(12, 20, title, 'font-size="12"'),
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}

function panelOf(title: string, all: readonly Line[], duration: number): string {
  const most = (line: Line) => Math.max(...line.points.map(([, value]) => value));
  const lines = [...all].sort((a, b) => most(b) - most(a));
  const top = niceAbove(Math.max(...lines.map(most)));
  const x = (at: number) => PANEL.left + (PLOT.width * at) / duration;
  const y = (value: number) => PANEL.top + PLOT.height * (1 - value / top);
  const color = (index: number) => COLORS[Math.min(index, OTHER)];
  const named = lines
    .slice(0, OTHER)
    .map(({ name }, index) => `<tspan fill="${color(index)}">${escaped(name)}</tspan>`);
  const rest = lines.length > OTHER ? [`<tspan fill="#888888">${lines.length - OTHER} others</tspan>`] : [];
  return [
    text(PANEL.left, 14, title, 'font-weight="bold"'),
    `<text x="${PANEL.left}" y="${PANEL.top - 14}">${[...named, ...rest].join(' · ')}</text>`,
    `<rect x="${PANEL.left}" y="${PANEL.top}" width="${x(duration * WARM_UP) - PANEL.left}" height="${PLOT.height}" fill="#f1f1f1"/>`,
    ...[0, top / 2, top].flatMap((value) => [
      `<line x1="${PANEL.left}" x2="${PANEL.left + PLOT.width}" y1="${y(value)}" y2="${y(value)}" stroke="#dddddd"/>`,
      text(PANEL.left - 4, y(value) + 3, String(Number(value.toPrecision(3))), 'text-anchor="end"'),
    ]),
    ...[0, 1 / 3, 2 / 3, 1].map((share) =>
      text(
        x(duration * share),
        PANEL.height - 8,
        `${Number(((duration * share) / MINUTE).toFixed(1))} min`,
        'text-anchor="middle"',
      ),
    ),
    // The largest last: on top of the others.
    ...lines
      .map(({ points }, index) =>
        lineOf(
          points.map(([at, value]) => [x(at), y(value)]),
          color(index),
        ),
      )
      .toReversed(),
  ].join('\n');
}

function lineOf(points: readonly Point[], color: string | undefined): string {
  // Of what stays the same the ends are enough.
  const bends = points.filter(([, y], index) => y !== points[index - 1]?.[1] || y !== points[index + 1]?.[1]);
  const path = bends.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="1.2"/>`;
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The next round number above: 1, 2, 4 or 8 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-3)));
  return power * ([1, 2, 4, 8, 10].find((factor) => factor * power >= value) ?? 10);
}

import type { Series, SeriesPoint } from '../contract.js';
import { formatDuration } from '../format/durations.js';
import { formatNumber } from '../format/numbers.js';

/** Describes the ended attempts of a series, for screen readers. */
export function summaryOfEnds({ points, span }: Series): string {
  const sum = (count: (point: SeriesPoint) => number) => formatNumber(total(points, count));
  const [succeeded, retried, failed] = [sum((p) => p.succeeded), sum((p) => p.retried), sum((p) => p.failed)];
  return `${succeeded} succeeded, ${retried} retried, ${failed} failed in the last ${span}.`;
}

/** Describes the latency of a series, for screen readers. A minute counts by its attempts. */
export function summaryOfLatency({ points, span }: Series): string {
  const measured = points.filter(({ latencyMean }) => latencyMean !== null);
  const ended = total(measured, endedIn);
  if (ended === 0) {
    return `No attempt has ended in the last ${span}.`;
  }
  const mean = total(measured, (point) => (point.latencyMean ?? 0) * endedIn(point)) / ended;
  const highest = measured.reduce((high, { latencyMax }) => Math.max(high, latencyMax ?? 0), 0);
  const figures = `${formatDuration(mean)} on average, and ${formatDuration(highest)} at most`;
  return `In the last ${span}, jobs started after they were due: ${figures}.`;
}

const endedIn = ({ succeeded, failed, retried }: SeriesPoint): number => succeeded + failed + retried;

const total = (points: readonly SeriesPoint[], figure: (point: SeriesPoint) => number): number =>
  points.reduce((sum, point) => sum + figure(point), 0);

import { median } from '../../bench/statistics.js';
import type { Sample, SoakRecord } from '../sample.js';
import { type Point, growthOf } from './growth.js';
import { type Series, seriesOf, sumOf } from './series.js';

/** From which share of its duration on a run is judged. Before that caches, pools and tables come to their size. */
export const WARM_UP = 1 / 3;
/** What share of the asked rate has to be reached at least. */
const LEAST_RATE = 0.98;
/** Tables that are empty when everything is done and all schedules are removed. */
const EMPTY_AT_THE_END = ['tq_unique', 'tq_schedule', 'tq_ordered'];

/** The judgment of one series. */
export interface Judgment {
  readonly series: Series;
  readonly median: number;
  /** From the end of the warm-up to the end of the run, along the slope. */
  readonly growth: number;
  readonly allowed: number;
  readonly isFlat: boolean;
}

/** The judgment of a run. */
export interface Verdict {
  readonly judgments: readonly Judgment[];
  /** What else is not as it should be. */
  readonly complaints: readonly string[];
}

/** Judges a run. */
export function verdictOf(record: SoakRecord): Verdict {
  const { duration } = record.header.plan;
  const judged = record.samples.filter(({ at }) => at >= duration * WARM_UP && at < duration);
  const judgments = seriesOf(record.samples).flatMap((series) => {
    const points = pointsOf(series, judged);
    return series.tolerance && points.length > 1 ? [judge(series, points, series.tolerance)] : [];
  });
  return { judgments, complaints: complaintsOf(record, judged) };
}

/** What a series was at each sample. */
export function pointsOf({ valueOf }: Series, samples: readonly Sample[]): Point[] {
  return samples.flatMap((sample, index) => {
    const value = valueOf(sample, samples[index - 1] ?? sample);
    return value === undefined ? [] : [[sample.at, value] as const];
  });
}

function judge(series: Series, points: readonly Point[], { by, share }: NonNullable<Series['tolerance']>): Judgment {
  const middle = median(points.map(([, value]) => value));
  const growth = growthOf(points);
  const allowed = Math.max(by, share * middle);
  return { series, median: middle, growth, allowed, isFlat: growth <= allowed };
}

function complaintsOf({ header, samples }: SoakRecord, judged: readonly Sample[]): string[] {
  const [first, last, end] = [judged[0], judged.at(-1), samples.at(-1)];
  if (!first || !last || !end || first === last) {
    return ['There are too few samples to judge.'];
  }
  const { duration, rate, interval } = header.plan;
  const of = (sample: Sample, count: string) => sumOf(sample.processes, count);
  const complaints: string[] = [];
  if (last.at < duration - 2 * interval) {
    complaints.push(`It ended after ${seconds(last.at)} of ${seconds(duration)}.`);
  }
  const asked = (sample: Sample) => of(sample, 'stored') + of(sample, 'clashes');
  const reached = ((asked(last) - asked(first)) * 1000) / (last.at - first.at);
  if (reached < rate * LEAST_RATE) {
    complaints.push(`Only ${reached.toFixed(1)} of ${rate} jobs a second were enqueued.`);
  }
  for (const bad of ['errors', 'lost', 'stalled']) {
    if (of(end, bad) > 0) {
      complaints.push(`${bad}: ${of(end, bad)}`);
    }
  }
  const enqueued = of(end, 'stored') + of(end, 'followers') - of(end, 'cancelled');
  const ended = of(end, 'ended') - of(end, 'ticks');
  if (enqueued !== ended) {
    complaints.push(`${ended} of ${enqueued} jobs ended.`);
  }
  if (end.database.liveJobs > 0) {
    complaints.push(`${end.database.liveJobs} jobs are not finished at the end.`);
  }
  for (const table of EMPTY_AT_THE_END) {
    const rows = end.database.tables[table]?.rows;
    if (rows !== 0) {
      complaints.push(`${table} has ${rows} rows at the end.`);
    }
  }
  return complaints;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed()} s`;
}

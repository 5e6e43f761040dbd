import { groupBy } from '../../group-by.js';
import { MINUTE } from '../../store/base/jobs/throughput-delta.js';
import type { ThroughputRow } from '../../store/reports/find-throughput.js';

/** The attempts that ended in an interval. Times are in ms. */
export interface ThroughputPoint {
  /** When the interval started. */
  readonly at: Date;
  /** How many succeeded. */
  readonly succeeded: number;
  /** How many failed and are not retried. */
  readonly failed: number;
  /** How many failed and are retried. */
  readonly retried: number;
  /** How many jobs expired before they started. They have no latency. */
  readonly expired: number;
  /** The mean time from due to started; undefined if no attempt ended. */
  readonly latencyMean: number | undefined;
  /** The longest time from due to started. */
  readonly latencyMax: number | undefined;
  /** The mean run time of the handler. */
  readonly runMean: number | undefined;
  /** The longest run time of the handler. */
  readonly runMax: number | undefined;
}

/** The result of `activity.throughput`. */
export interface Throughput {
  /** When it was read, by the database's clock. */
  readonly takenAt: Date;
  /** The length of an interval, in ms. */
  readonly width: number;
  /** The oldest interval first. The last interval is not complete. */
  readonly points: readonly ThroughputPoint[];
}

/** An hour in intervals of a minute, or a day in intervals of a quarter of an hour. */
export const SPANS = { hour: { width: MINUTE, points: 60 }, day: { width: 15 * MINUTE, points: 96 } } as const;

/** Returns the start of the first interval. */
export function firstSpan(now: number, span: keyof typeof SPANS): number {
  const { width, points } = SPANS[span];
  return now - (now % width) - (points - 1) * width;
}

/** Returns a point for each interval, also for those in which no attempt ended. */
export function throughputOf(rows: readonly ThroughputRow[], now: number, span: keyof typeof SPANS): Throughput {
  const { width, points } = SPANS[span];
  const first = firstSpan(now, span);
  const bySpan = groupBy(rows, (row) => row.at);
  return {
    takenAt: new Date(now),
    width,
    points: Array.from({ length: points }, (_, index) => {
      const at = first + index * width;
      return pointOf(at, bySpan.get(at) ?? []);
    }),
  };
}

function pointOf(at: number, rows: readonly ThroughputRow[]): ThroughputPoint {
  const sum = (property: 'succeeded' | 'failed' | 'retried' | 'expired' | 'latencySum' | 'runSum') =>
    rows.reduce((total, row) => total + row[property], 0);
  const [succeeded, failed, retried] = [sum('succeeded'), sum('failed'), sum('retried')];
  const ended = succeeded + failed + retried;
  const ifAny = (number: number) => (ended === 0 ? undefined : number);
  return {
    at: new Date(at),
    succeeded,
    failed,
    retried,
    expired: sum('expired'),
    latencyMean: ifAny(sum('latencySum') / ended),
    latencyMax: ifAny(Math.max(...rows.map(({ latencyMax }) => latencyMax))),
    runMean: ifAny(sum('runSum') / ended),
    runMax: ifAny(Math.max(...rows.map(({ runMax }) => runMax))),
  };
}

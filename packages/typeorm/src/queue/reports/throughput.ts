import { groupBy } from '../../group-by.js';
import { MINUTE } from '../../store/complete/add-throughput.js';
import type { ThroughputRow } from '../../store/reports/find-throughput.js';

/** The attempts that ended within a span of time. Times in ms. */
export interface ThroughputPoint {
  /** When the span began. */
  readonly at: Date;
  readonly succeeded: number;
  /** For good. */
  readonly failed: number;
  readonly retried: number;
  /** From when they were due to when they began: the mean; undefined where none has ended. */
  readonly latencyMean: number | undefined;
  /** The longest. */
  readonly latencyMax: number | undefined;
  /** How long they ran: the mean. */
  readonly runMean: number | undefined;
  readonly runMax: number | undefined;
}

/** What ended over some time. */
export interface Throughput {
  /** When it was read, by the database's clock. */
  readonly takenAt: Date;
  /** The width of a span, in ms. */
  readonly width: number;
  /** Of all queues asked for together, the oldest span first; the last one is not over. */
  readonly points: readonly ThroughputPoint[];
  /** Of each queue of which anything has ended, by name. */
  readonly queues: readonly { readonly queue: string; readonly points: readonly ThroughputPoint[] }[];
}

/** What can be asked for: an hour by the minute, or a day by the quarter of an hour. */
export const SPANS = { hour: { width: MINUTE, points: 60 }, day: { width: 15 * MINUTE, points: 96 } } as const;

/** When the first of the spans began that end with the present one. */
export function firstSpan(now: number, span: keyof typeof SPANS): number {
  const { width, points } = SPANS[span];
  return now - (now % width) - (points - 1) * width;
}

/** Gives each span a point, whether anything ended in it or not. */
export function throughputOf(rows: readonly ThroughputRow[], now: number, span: keyof typeof SPANS): Throughput {
  const { width, points } = SPANS[span];
  const first = firstSpan(now, span);
  const seriesOf = (own: readonly ThroughputRow[]) => {
    const bySpan = groupBy(own, (row) => row.at);
    return Array.from({ length: points }, (_, index) => {
      const at = first + index * width;
      return pointOf(at, bySpan.get(at) ?? []);
    });
  };
  const byQueue = groupBy(rows, (row) => row.queue);
  return {
    takenAt: new Date(now),
    width,
    points: seriesOf(rows),
    queues: [...byQueue.keys()].sort().map((queue) => ({ queue, points: seriesOf(byQueue.get(queue) ?? []) })),
  };
}

function pointOf(at: number, rows: readonly ThroughputRow[]): ThroughputPoint {
  const sum = (property: 'succeeded' | 'failed' | 'retried' | 'latencySum' | 'runSum') =>
    rows.reduce((total, row) => total + row[property], 0);
  const [succeeded, failed, retried] = [sum('succeeded'), sum('failed'), sum('retried')];
  const ended = succeeded + failed + retried;
  const ifAny = (number: number) => (ended === 0 ? undefined : number);
  return {
    at: new Date(at),
    succeeded,
    failed,
    retried,
    latencyMean: ifAny(sum('latencySum') / ended),
    latencyMax: ifAny(Math.max(...rows.map(({ latencyMax }) => latencyMax))),
    runMean: ifAny(sum('runSum') / ended),
    runMax: ifAny(Math.max(...rows.map(({ runMax }) => runMax))),
  };
}

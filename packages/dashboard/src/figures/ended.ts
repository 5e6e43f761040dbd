import type { Throughput, ThroughputPoint } from '@tablequeue/typeorm';

import type { QueueRow } from '../contract/index.js';

const MINUTES = 60;

/** What ended of a queue within the hour, in a few figures. */
export function endedOf(
  points: readonly ThroughputPoint[],
  { takenAt, width }: Pick<Throughput, 'takenAt' | 'width'>,
): Pick<QueueRow, 'throughput' | 'failureRate' | 'latency' | 'spark'> {
  const spark = points.length === 0 ? Array<number>(MINUTES).fill(0) : points.map(finishedIn);
  const ended = attemptsOf(points);
  const failures = sum(points, ({ failed, retried }) => failed + retried);
  const latency = sum(points, (point) => (point.latencyMean ?? 0) * endedIn(point));
  const [before = 0, present = 0] = spark.slice(-2);
  // Of the minute before the present one the part that is not 60 s ago.
  const share = 1 - (takenAt.getTime() % width) / width;
  return {
    throughput: (present + before * share) / (width / 1_000),
    failureRate: ended === 0 ? null : failures / ended,
    latency: ended === 0 ? null : latency / ended,
    spark,
  };
}

/** How many attempts ended, those that are tried again with the others. */
export function attemptsOf(points: readonly ThroughputPoint[]): number {
  return sum(points, endedIn);
}

function endedIn({ succeeded, failed, retried }: ThroughputPoint): number {
  return succeeded + failed + retried;
}

/** How many jobs have ended for good. */
function finishedIn({ succeeded, failed }: ThroughputPoint): number {
  return succeeded + failed;
}

function sum(points: readonly ThroughputPoint[], figure: (point: ThroughputPoint) => number): number {
  return points.reduce((total, point) => total + figure(point), 0);
}

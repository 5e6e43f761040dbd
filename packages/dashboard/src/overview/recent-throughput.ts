import type { Throughput, ThroughputPoint } from '@tablequeue/typeorm';

import type { QueueRow } from '../contract/index.js';

const MINUTES = 60;

/** Computes the figures of a queue from its throughput in the last hour. */
export function recentThroughput(
  points: readonly ThroughputPoint[],
  { takenAt, width }: Pick<Throughput, 'takenAt' | 'width'>,
): Pick<QueueRow, 'throughput' | 'failureRate' | 'latency' | 'spark'> {
  const spark = points.length === 0 ? Array<number>(MINUTES).fill(0) : points.map(finishedIn);
  const ended = countAttempts(points);
  const failures = sum(points, ({ failed, retried }) => failed + retried);
  const latency = sum(points, (point) => (point.latencyMean ?? 0) * endedIn(point));
  const [previous = 0, current = 0] = spark.slice(-2);
  // The share of the previous minute that lies within the last 60 s.
  const share = 1 - (takenAt.getTime() % width) / width;
  return {
    throughput: (current + previous * share) / (width / 1_000),
    failureRate: ended === 0 ? null : failures / ended,
    latency: ended === 0 ? null : latency / ended,
    spark,
  };
}

/** Counts the attempts that ended, retried ones included. */
function countAttempts(points: readonly ThroughputPoint[]): number {
  return sum(points, endedIn);
}

function endedIn({ succeeded, failed, retried }: ThroughputPoint): number {
  return succeeded + failed + retried;
}

/** Counts the jobs that finished. */
function finishedIn({ succeeded, failed }: ThroughputPoint): number {
  return succeeded + failed;
}

function sum(points: readonly ThroughputPoint[], figure: (point: ThroughputPoint) => number): number {
  return points.reduce((total, point) => total + figure(point), 0);
}

import { expect, test } from '@jest/globals';

import type { Series, SeriesPoint } from '../contract.js';
import { summaryOfEnds, summaryOfLatency } from './summaries.js';

const IDLE: SeriesPoint = {
  at: 0,
  succeeded: 0,
  failed: 0,
  retried: 0,
  latencyMean: null,
  latencyMax: null,
  runMean: null,
};

const series = (...points: readonly Partial<SeriesPoint>[]): Series => ({
  span: 'hour',
  bucket: 60_000,
  takenAt: 0,
  points: points.map((point, index) => ({ ...IDLE, ...point, at: index * 60_000 })),
});

test('the latency of a chart is the mean of all attempts, and not that of the last minute', () => {
  const busy = { succeeded: 97, failed: 1, retried: 1, latencyMean: 88_000, latencyMax: 190_000 };
  const quiet = { succeeded: 1, latencyMean: 154, latencyMax: 154 };
  expect(summaryOfLatency(series(busy, {}, quiet))).toBe(
    'In the last hour, jobs started after they were due: 1m 27s on average, and 3m 10s at most.',
  );
  expect(summaryOfEnds(series(busy, {}, quiet))).toBe('98 succeeded, 1 retried, 1 failed in the last hour.');
});

test('a chart without attempts is described as such', () => {
  expect(summaryOfLatency(series({}, {}))).toBe('No attempt has ended in the last hour.');
});

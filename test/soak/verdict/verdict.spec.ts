import { describe, expect, test } from '@jest/globals';

import { PROCESSES, type ProcessName, type Sample, type SoakRecord } from '../sample.js';
import { chartOf } from './chart.js';
import { growthOf } from './growth.js';
import { isGood, reportOf } from './report.js';
import { verdictOf } from './verdict.js';

const MINUTE = 60_000;
const MB = 2 ** 20;
const PLAN = {
  engine: 'mariadb',
  duration: 60 * MINUTE,
  rate: 100,
  retentionAge: 5 * MINUTE,
  interval: MINUTE,
} as const;

/** What a planted sample differs in. */
interface Planted {
  readonly heap?: number;
  readonly sockets?: number;
  readonly connections?: number;
  readonly tableBytes?: number;
  readonly liveJobs?: number;
  readonly stored?: number;
  readonly ended?: number;
  readonly errors?: number;
}

/** A run in which nothing grows: each value goes up and down a little. At its end everything is done. */
function soak(plant: (minute: number) => Planted = () => ({})): SoakRecord {
  const samples = Array.from({ length: 62 }, (_each, minute) => sampleAt(minute, plant(minute)));
  return { header: { plan: PLAN, version: 'a server', machine: 'a machine' }, samples };
}

function sampleAt(minute: number, planted: Planted): Sample {
  const wave = Math.sin(minute * 7);
  const done = Math.min(minute, 60) * 60 * PLAN.rate;
  const isEnd = minute > 60;
  const counts: Record<ProcessName, Record<string, number>> = {
    producer: { stored: planted.stored ?? done, errors: planted.errors ?? 0 },
    'worker 1': { started: done, ended: planted.ended ?? done },
    'worker 2': {},
    dashboard: {},
  };
  const vitalsOf = (name: ProcessName) => ({
    rss: (120 + 10 * wave) * MB,
    heap: planted.heap ?? (40 + 0.5 * wave) * MB,
    external: 3 * MB,
    cpu: minute * 6_000,
    resources: { Timeout: 10 + Math.round(3 * wave), TCPSocketWrap: planted.sockets ?? 15 },
    counts: counts[name],
  });
  return {
    at: minute * MINUTE,
    processes: Object.fromEntries(PROCESSES.map((name) => [name, vitalsOf(name)])) as unknown as Sample['processes'],
    latency: { p50: 4 + wave, p99: 30 + 10 * wave },
    load: 1,
    database: {
      tables: {
        tq_job: {
          rows: (planted.liveJobs ?? Math.round(200 + 50 * wave)) + 1_000,
          used: planted.tableBytes ?? 9 * MB,
          bytes: 12 * MB,
        },
        tq_throughput: { rows: minute * 10, used: MB, bytes: MB },
        tq_unique: { rows: 0, used: MB, bytes: MB },
        tq_ordered: { rows: 0, used: MB, bytes: MB },
        tq_schedule: { rows: isEnd ? 0 : 2, used: MB, bytes: MB },
      },
      liveJobs: planted.liveJobs ?? (isEnd ? 0 : Math.round(200 + 50 * wave)),
      connections: planted.connections ?? 45,
      unpurged: 100,
      old: 12 * MB,
      server: { cpu: minute * 9_000, memory: 300 * MB },
    },
  };
}

/** The growing series of a verdict, and its complaints. */
function found(record: SoakRecord): string[] {
  const { judgments, complaints } = verdictOf(record);
  const growing = judgments.filter(({ isFlat }) => !isFlat).map(({ series }) => `${series.chart}: ${series.name}`);
  return [...growing, ...complaints];
}

describe('the verdict of a soak', () => {
  test('finds nothing where nothing grows', () => {
    const verdict = verdictOf(soak());
    expect(found(soak())).toEqual([]);
    expect(isGood(verdict)).toBe(true);
    expect(reportOf(verdict)).toMatch(/Nothing grows: \d+ series are flat\.$/);
  });

  test('reports that a series grows', () => {
    // 2 MB an hour, which is less than it goes up and down in a minute.
    const record = soak((minute) => ({ heap: (40 + minute / 30 + Math.sin(minute * 7)) * MB }));
    const verdict = verdictOf(record);
    expect(found(record)).toEqual(PROCESSES.map((name) => `heap after a collection, MB: ${name}`));
    expect(isGood(verdict)).toBe(false);
    expect(reportOf(verdict)).toMatch(
      /^GROWS {2}heap after a collection, MB: worker 1 .*growth \+1\.\d+ +allowed \+0\.8/m,
    );
  });

  test.each<[string, (minute: number) => Planted, string[]]>([
    [
      'sockets that stay open',
      (minute) => ({ sockets: 15 + Math.floor(minute / 10) }),
      PROCESSES.map((name) => `sockets and other handles: ${name}`),
    ],
    [
      'connections',
      (minute) => ({ connections: 45 + Math.floor(minute / 10) }),
      ['connections to the server: all processes'],
    ],
    [
      'a table that returns no space',
      (minute) => ({ tableBytes: (9 + Math.floor(minute / 15)) * MB }),
      ['tables with their indexes, MB: tq_job'],
    ],
    [
      'a backlog',
      (minute) => ({ liveJobs: minute > 60 ? 0 : 200 + minute * 10 }),
      ['jobs: not finished', 'rows: tq_job'],
    ],
    ['jobs that are never done', () => ({ liveJobs: 300 }), ['300 jobs are not finished at the end.']],
    [
      'jobs whose end was not reported',
      (minute) => ({ ended: Math.min(minute, 60) * 6_000 - 3 }),
      ['359997 of 360000 jobs ended.'],
    ],
    [
      'a rate that was not kept up',
      (minute) => ({ stored: Math.min(minute, 60) * 5_000, ended: Math.min(minute, 60) * 5_000 }),
      ['Only 83.3 of 100 jobs a second were enqueued.'],
    ],
    ['errors', () => ({ errors: 2 }), ['errors: 2']],
  ])('finds %s', (_what, plant, expected) => {
    expect(found(soak(plant))).toEqual(expected);
  });

  test('does not judge the first third', () => {
    expect(found(soak((minute) => ({ heap: Math.min(minute, 18) * MB })))).toEqual([]);
  });

  test('does not judge a run that was broken off', () => {
    const { header, samples } = soak();
    expect(found({ header, samples: samples.slice(0, 40) })).toContain('It ended after 2340 s of 3600 s.');
  });

  test('takes occasional events for no slope', () => {
    expect(growthOf(Array.from({ length: 40 }, (_each, at) => [at, at % 5 === 4 ? 1_000 : 7]))).toBe(0);
    expect(growthOf(Array.from({ length: 40 }, (_each, at) => [at, at * 3]))).toBe(117);
  });
});

test('the charts have a line for each series', () => {
  const record = soak();
  const svg = chartOf(record);
  expect(svg.match(/<polyline /g)?.length).toBeGreaterThan(30);
  expect(svg).not.toContain('NaN');
  expect(svg).not.toContain('undefined');
});

import type { DatabaseVitals, TableVitals } from '../database/database-vitals.js';
import type { ProcessVitals } from '../processes/messages.js';
import { PROCESSES, type Sample } from '../sample.js';

/**
 * How much a series may grow in the judged part of a run: by so much, or by such a share of its median if that is more.
 */
export interface Tolerance {
  readonly by: number;
  readonly share: number;
}

/** One thing that is measured all along. */
export interface Series {
  /** The chart it is drawn in, with the unit. */
  readonly chart: string;
  readonly name: string;
  /** Undefined where it is drawn and not judged. */
  readonly tolerance: Tolerance | undefined;
  /** @param before the sample before. */
  readonly valueOf: (sample: Sample, before: Sample) => number | undefined;
}

type Vitals = Omit<ProcessVitals, 'latencies'>;

const MB = 2 ** 20;
const TIMER = 'Timeout';
/** Has a row for each queue and minute, for 49 hours: its rows are many enough only after that. Its size is judged. */
const BY_THE_MINUTE = 'tq_throughput';

/** All series of a run, in the order of their charts. */
export function seriesOf(samples: readonly Sample[]): Series[] {
  return [
    ...ofProcesses('memory, MB', { by: 8, share: 0.05 }, ({ rss }) => rss / MB),
    ...ofProcesses('heap after a collection, MB', { by: 0.5, share: 0.02 }, ({ heap }) => heap / MB),
    ...ofProcesses('outside of the heap, MB', { by: 0.5, share: 0.05 }, ({ external }) => external / MB),
    ...ofProcesses('timers', { by: 2, share: 0.1 }, ({ resources }) => resources[TIMER] ?? 0),
    ...ofProcesses('sockets and other handles', { by: 1, share: 0.05 }, ({ resources }) =>
      Object.entries(resources).reduce((sum, [kind, count]) => sum + (kind === TIMER ? 0 : count), 0),
    ),
    ofDatabase('connections to the server', 'all processes', { by: 1, share: 0.05 }, ({ connections }) => connections),
    ofDatabase('jobs', 'not finished', { by: 100, share: 0.05 }, ({ liveJobs }) => liveJobs),
    ...ofTables('rows', samples, { by: 100, share: 0.05 }, ({ rows }) => rows).map((series) =>
      series.name === BY_THE_MINUTE ? { ...series, tolerance: undefined } : series,
    ),
    ...ofTables('tables with their indexes, MB', samples, { by: 1, share: 0.05 }, ({ used }) => inMb(used)),
    // InnoDB makes a file that has more than one extent larger by four, and at first by more.
    ...ofTables('files of the tables, MB', samples, { by: 8, share: 0.05 }, ({ bytes }) => inMb(bytes)),
    ofDatabase('old versions of rows, MB', 'undo or write-ahead log', { by: 8, share: 0.1 }, ({ old }) => old / MB),
    ofDatabase('history list, transactions', 'not yet purged', { by: 1_000, share: 0.5 }, ({ unpurged }) => unpurged),
    // It takes its buffer pool as it needs it, and each of its threads keeps what it has freed.
    ofDatabase("the server's memory, MB", 'server', { by: 32, share: 0.1 }, ({ server }) => inMb(server?.memory)),
    ...cpuSeries(),
    {
      chart: 'jobs a second',
      name: 'stored',
      tolerance: undefined,
      valueOf: rateOf(({ processes }) => processes.producer.counts['stored'] ?? 0),
    },
    {
      chart: 'jobs a second',
      name: 'attempts begun',
      tolerance: undefined,
      valueOf: rateOf(({ processes }) => sumOf(processes, 'started')),
    },
    {
      chart: 'from due to started, ms',
      name: 'median',
      tolerance: { by: 50, share: 2 },
      valueOf: ({ latency }) => latency?.p50,
    },
    {
      chart: 'from due to started, ms',
      name: '99 of 100',
      tolerance: { by: 200, share: 2 },
      valueOf: ({ latency }) => latency?.p99,
    },
    { chart: 'load of the machine', name: 'of the last minute', tolerance: undefined, valueOf: ({ load }) => load },
  ];
}

/** The sum of one count over all processes that have it. */
export function sumOf(processes: Sample['processes'], count: string): number {
  return PROCESSES.reduce((sum, name) => sum + (processes[name].counts[count] ?? 0), 0);
}

function ofProcesses(chart: string, tolerance: Tolerance, valueOf: (vitals: Vitals) => number): Series[] {
  return PROCESSES.map((name) => ({
    chart,
    name,
    tolerance,
    valueOf: ({ processes }) => valueOf(processes[name]),
  }));
}

function ofDatabase(
  chart: string,
  name: string,
  tolerance: Tolerance | undefined,
  valueOf: (database: DatabaseVitals) => number | undefined,
): Series {
  return { chart, name, tolerance, valueOf: ({ database }) => valueOf(database) };
}

function ofTables(
  chart: string,
  samples: readonly Sample[],
  tolerance: Tolerance,
  valueOf: (table: TableVitals) => number | undefined,
): Series[] {
  const tables = Object.keys(samples[0]?.database.tables ?? {});
  return tables.map((name) => ofDatabase(chart, name, tolerance, ({ tables: now }) => now[name] && valueOf(now[name])));
}

function inMb(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / MB;
}

/** In percent of one core. */
function cpuSeries(): Series[] {
  const chart = 'CPU, % of a core';
  const tolerance = { by: 10, share: 1 };
  const percent = (valueOf: (sample: Sample) => number | undefined) => {
    const rate = rateOf(valueOf);
    return (sample: Sample, before: Sample) => {
      const value = rate(sample, before);
      return value === undefined ? undefined : value / 10;
    };
  };
  return [
    ...PROCESSES.map((name) => ({ chart, name, tolerance, valueOf: percent(({ processes }) => processes[name].cpu) })),
    { chart, name: 'server', tolerance, valueOf: percent(({ database }) => database.server?.cpu) },
  ];
}

/** By how much something that is counted goes up in a second. */
function rateOf(valueOf: (sample: Sample) => number | undefined) {
  return (sample: Sample, before: Sample): number | undefined => {
    const [now, then] = [valueOf(sample), valueOf(before)];
    return now === undefined || then === undefined || sample === before
      ? undefined
      : ((now - then) * 1000) / (sample.at - before.at);
  };
}

import type { JobTotals, QueueControlState, TotalsByState } from '@tablequeue/typeorm';
import type { AttemptRate, DetailedHealth, RegisteredWorker } from '@tablequeue/typeorm/internal';

import type { ProblemKind, Totals } from '../contract/index.js';
import { type QueueFilter, type QueueOrder, type UnchartedRow, compareNames, matches, sortRows } from './queue-list.js';
import { toLimits } from './to-limits.js';
import { toTotals } from './to-totals.js';

/** The data that queue rows are computed from. */
export interface QueueFacts {
  readonly takenAt: number;
  /** From this process's clock to the database's, in ms. */
  readonly offset: number;
  /** Those with a lease. */
  readonly workers: readonly RegisteredWorker[];
  readonly settings: readonly QueueControlState[];
  readonly totals: JobTotals;
  readonly health: DetailedHealth;
}

const MINUTE_IN_SECONDS = 60;

/**
 * The queues of one read: those that have jobs, settings or workers, or had jobs in the last hour. A row is computed
 * when it is asked for.
 */
export class QueueRows {
  private readonly settings: ReadonlyMap<string, QueueControlState>;
  private readonly rates: ReadonlyMap<string, AttemptRate>;
  private readonly totals: ReadonlyMap<string, TotalsByState>;
  private readonly ages: ReadonlyMap<string, number>;
  private readonly problems: ReadonlyMap<string, readonly ProblemKind[]>;
  private readonly weights: ReadonlyMap<string, readonly number[]>;
  private readonly known: ReadonlySet<string>;
  private readonly rows = new Map<string, UnchartedRow>();
  private sorted: readonly string[] | undefined;

  constructor(private readonly facts: QueueFacts) {
    const { workers, settings, totals, health } = facts;
    this.settings = new Map(settings.map((each) => [each.queue, each]));
    this.rates = new Map(health.rates.map((each) => [each.queue, each]));
    this.totals = new Map(totals.queues.map(({ queue, states }) => [queue, states]));
    this.ages = new Map(health.backlog.map(({ queue, age }) => [queue, age]));
    this.problems = listByQueue(health.problems.map(({ kind, queues }) => [queues, () => kind]));
    this.weights = listByQueue(
      workers
        .filter(({ state }) => state === 'working')
        .map(({ queues, weights }) => [queues, (queue) => weights[queue] ?? 1]),
    );
    this.known = new Set([
      ...this.totals.keys(),
      ...this.settings.keys(),
      ...this.rates.keys(),
      ...workers.flatMap(({ queues }) => queues),
    ]);
  }

  get takenAt(): number {
    return this.facts.takenAt;
  }

  get count(): number {
    return this.known.size;
  }

  /** The jobs of all queues that finished per second in the last minute. */
  get throughput(): number {
    return this.facts.health.rates.reduce((sum, { finishedLately }) => sum + finishedLately, 0) / MINUTE_IN_SECONDS;
  }

  /** The number of queues with a problem. */
  get inTrouble(): number {
    return this.names().filter((queue) => this.problems.has(queue)).length;
  }

  has(queue: string): boolean {
    return this.known.has(queue);
  }

  /** All names, sorted. */
  names(): readonly string[] {
    this.sorted ??= [...this.known].sort(compareNames);
    return this.sorted;
  }

  /** Returns the names of the queues that match, sorted. */
  find(filter: QueueFilter, order: QueueOrder): readonly string[] {
    const found = this.names().filter((queue) => matches({ queue, problems: this.problemsOf(queue) }, filter));
    if (order.column === 'queue') {
      return order.isDescending ? found.toReversed() : found;
    }
    const rows = found.map((queue) => this.row(queue));
    return sortRows(rows, order).map(({ queue }) => queue);
  }

  row(queue: string): UnchartedRow {
    const row = this.rows.get(queue) ?? this.compute(queue);
    this.rows.set(queue, row);
    return row;
  }

  private problemsOf(queue: string): readonly ProblemKind[] {
    return this.problems.get(queue) ?? [];
  }

  private compute(queue: string): UnchartedRow {
    const { takenAt, offset } = this.facts;
    const totals = this.totals.get(queue);
    const settings = this.settings.get(queue);
    const weights = this.weights.get(queue) ?? [];
    const { attempts = 0, failures = 0, latencySum = 0, finishedLately = 0 } = this.rates.get(queue) ?? {};
    return {
      queue,
      counts: totals ? toTotals(totals, offset) : noJobs(takenAt),
      oldestReady: this.ages.get(queue) ?? null,
      throughput: finishedLately / MINUTE_IN_SECONDS,
      failureRate: attempts === 0 ? null : failures / attempts,
      latency: attempts === 0 ? null : latencySum / attempts,
      pausedAt: settings?.pausedAt?.getTime() ?? null,
      workers: weights.length,
      weights: [...new Set(weights)].sort((one, other) => one - other),
      limits: toLimits(settings),
      problems: this.problemsOf(queue),
    };
  }
}

/** Lists a value for each queue of each list. A queue that a list has twice gets it once. */
function listByQueue<T>(
  lists: readonly (readonly [queues: readonly string[], valueOf: (queue: string) => T])[],
): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const [queues, valueOf] of lists) {
    for (const queue of new Set(queues)) {
      const values = found.get(queue);
      if (values) {
        values.push(valueOf(queue));
      } else {
        found.set(queue, [valueOf(queue)]);
      }
    }
  }
  return found;
}

function noJobs(countedAt: number): Totals {
  const none = { count: 0, isCapped: false, isEstimate: false, countedAt, perMinute: null };
  const live = { waiting: none, scheduled: none, ready: none, running: none };
  return { ...live, succeeded: none, failed: none, cancelled: none, expired: none };
}

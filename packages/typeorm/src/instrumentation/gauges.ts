import type { HealthProblem, HealthProblemKind, HealthSeverity } from '../queue/health/problem.js';
import { LIVE_STATES, type LiveState } from '../tables/job.js';
import type { ObservedQueue } from './instrumentation.js';

/** The gauges, which are read on demand. */
export type GaugeName = 'jobs' | 'oldestReady' | 'failed' | 'workers' | 'problems';

export interface Sample {
  readonly gauge: GaugeName;
  readonly queue?: string;
  readonly state?: LiveState;
  readonly kind?: HealthProblemKind;
  readonly severity?: HealthSeverity;
  /** A count; for `oldestReady` seconds. */
  readonly value: number;
}

/** Converts the figures of a queue to samples. */
export class GaugeReader {
  /** All queues so far: an empty queue is reported as 0, or its last value would seem to stay. */
  private readonly queues = new Set<string>();
  /** All problems so far, for the same reason. */
  private readonly problems = new Map<string, Pick<HealthProblem, 'kind' | 'severity'>>();

  constructor(private readonly observed: ObservedQueue) {}

  get database(): string {
    return this.observed.database;
  }

  get prefix(): string {
    return this.observed.prefix;
  }

  /** Returns no samples if the database is unavailable. Never rejects. */
  async read(): Promise<Sample[]> {
    const figures = await this.observed.figures();
    if (!figures) {
      return [];
    }
    const counts = new Map(figures.counts.map((ofQueue) => [ofQueue.queue, ofQueue]));
    const ages = new Map(figures.oldestReady.map(({ queue, age }) => [queue, age]));
    [...counts.keys(), ...ages.keys()].forEach((queue) => this.queues.add(queue));
    const samples: Sample[] = [
      { gauge: 'failed', value: figures.failed.count },
      { gauge: 'workers', value: figures.workers },
    ];
    const affected = new Map(figures.problems.map((each) => [`${each.kind} ${each.severity}`, each]));
    affected.forEach(({ kind, severity }, name) => this.problems.set(name, { kind, severity }));
    for (const [name, { kind, severity }] of this.problems) {
      samples.push({ gauge: 'problems', kind, severity, value: affected.get(name)?.count ?? 0 });
    }
    for (const queue of this.queues) {
      samples.push({ gauge: 'oldestReady', queue, value: (ages.get(queue) ?? 0) / 1000 });
      for (const state of LIVE_STATES) {
        samples.push({ gauge: 'jobs', queue, state, value: counts.get(queue)?.[state].count ?? 0 });
      }
    }
    return samples;
  }
}

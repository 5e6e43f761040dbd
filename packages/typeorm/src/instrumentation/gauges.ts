import { LIVE_STATES, type LiveState } from '../tables/job.js';
import type { ObservedQueue } from './instrumentation.js';

/** What is measured when somebody asks. */
export type GaugeName = 'jobs' | 'oldestReady' | 'failed' | 'workers';

/** One value of a gauge. */
export interface Sample {
  readonly gauge: GaugeName;
  readonly queue?: string;
  readonly state?: LiveState;
  /** A number; for `oldestReady` in seconds. */
  readonly value: number;
}

/** Makes samples of the figures of a queue. */
export class GaugeReader {
  /** A queue that has become empty is told of as empty: left out it would seem to stay as it was. */
  private readonly queues = new Set<string>();

  constructor(private readonly observed: ObservedQueue) {}

  get database(): string {
    return this.observed.database;
  }

  get prefix(): string {
    return this.observed.prefix;
  }

  /** None where the database is away: what is not known is not told. Never rejects. */
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
    for (const queue of this.queues) {
      samples.push({ gauge: 'oldestReady', queue, value: (ages.get(queue) ?? 0) / 1000 });
      for (const state of LIVE_STATES) {
        samples.push({ gauge: 'jobs', queue, state, value: counts.get(queue)?.[state].count ?? 0 });
      }
    }
    return samples;
  }
}

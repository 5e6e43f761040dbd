import { setTimeout as sleep } from 'node:timers/promises';

import { type Engine, executeRead } from '../../engine/engine.js';
import { type CountCursor, countChunk } from '../../store/reports/count-chunk.js';
import type { CountedJobs } from '../../store/reports/count-in-lanes.js';

/** The jobs of a queue in one state. */
export type StateOfQueue = Pick<CountedJobs, 'queue' | 'state'>;

/** A count of the background. */
export interface BackgroundCount {
  readonly count: number;
  /** Whether counting goes on for the first time: `count` is a minimum. */
  readonly isMinimum: boolean;
  /** When it was counted, in ms since 1970. */
  readonly countedAt: number;
}

interface LaneCount extends StateOfQueue {
  /** The last complete count, or what is known instead. */
  result: BackgroundCount;
  /** When it was known, by the clock that never jumps. */
  since: number;
  /** What the count under way has reached. */
  reached: number;
  cursor: CountCursor | undefined;
}

/** How many jobs a statement counts: 6 ms on MariaDB. See docs/decisions/0138. */
const CHUNK = 10_000;
/** How much longer than a statement the pause after it is: counting may take 10 % of the time. */
const PAUSE_FACTOR = 9;
/** How old a count gets at least, in ms. */
const FRESH = 5_000;
/** How long counting continues after the last request, in ms. */
const IDLE_AFTER = 30_000;

/**
 * Counts the jobs of long queues, one chunk after another, while totals are requested. The load does not depend on the
 * number of jobs; the age of a count does.
 */
export class BackgroundCounter {
  private readonly laneCounts = new Map<string, LaneCount>();
  private wantedAt = -Infinity;
  private isRunning = false;

  constructor(private readonly engine: Engine) {}

  find(wanted: StateOfQueue): BackgroundCount | undefined {
    return this.laneCounts.get(keyOf(wanted))?.result;
  }

  /** Counts these, and no others. `known`: how many there are at least, or exactly, for those without a count. */
  request(wanted: readonly (StateOfQueue & { readonly known: BackgroundCount })[]): void {
    const keys = new Set(wanted.map(keyOf));
    [...this.laneCounts.keys()].filter((key) => !keys.has(key)).forEach((key) => this.laneCounts.delete(key));
    for (const { queue, state, known } of wanted) {
      const key = keyOf({ queue, state });
      if (!this.laneCounts.has(key)) {
        this.laneCounts.set(key, {
          queue,
          state,
          result: known,
          since: performance.now(),
          reached: 0,
          cursor: undefined,
        });
      }
    }
    this.wantedAt = performance.now();
    if (!this.isRunning && this.laneCounts.size > 0) {
      void this.run();
    }
  }

  /** Never rejects: where the database fails, the next request starts again. */
  private async run(): Promise<void> {
    this.isRunning = true;
    try {
      while (this.laneCounts.size > 0 && performance.now() - this.wantedAt < IDLE_AFTER) {
        const due = this.nextDue();
        const since = performance.now();
        if (due) {
          const [key, laneCount] = due;
          await this.countNext(key, laneCount);
        }
        const pause = due ? (performance.now() - since) * PAUSE_FACTOR : FRESH / 10;
        await sleep(pause, undefined, { ref: false });
      }
    } catch {
      // The request that needs the database reports the error.
    } finally {
      this.isRunning = false;
    }
  }

  private nextDue(): [key: string, laneCount: LaneCount] | undefined {
    for (const entry of this.laneCounts) {
      if (isDue(entry[1])) {
        return entry;
      }
    }
    return undefined;
  }

  private async countNext(key: string, laneCount: LaneCount): Promise<void> {
    const { jobs, next } = await executeRead(this.engine, 'count jobs', (dialect) =>
      countChunk(dialect, laneCount, laneCount.cursor, CHUNK),
    );
    const reached = laneCount.reached + jobs;
    const isWhole = next === undefined;
    const { isMinimum, count } = laneCount.result;
    if (isWhole || (isMinimum && reached > count)) {
      laneCount.result = { count: reached, isMinimum: !isWhole, countedAt: Date.now() };
      laneCount.since = performance.now();
    }
    laneCount.reached = isWhole ? 0 : reached;
    laneCount.cursor = next;
    // Behind the others, so that long ones do not keep short ones waiting.
    if (this.laneCounts.delete(key)) {
      this.laneCounts.set(key, laneCount);
    }
  }
}

function isDue({ cursor, since, result }: LaneCount): boolean {
  return cursor !== undefined || result.isMinimum || performance.now() - since >= FRESH;
}

function keyOf({ queue, state }: StateOfQueue): string {
  return `${state} ${queue}`;
}

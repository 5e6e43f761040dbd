import { setTimeout as sleep } from 'node:timers/promises';

import { type Engine, executeRead } from '../../engine/engine.js';
import { countChunk } from '../../store/reports/count-chunk.js';
import { countInLanes } from '../../store/reports/count-in-lanes.js';
import {
  type BackgroundCount,
  CHUNK,
  type LaneCount,
  type StateOfQueue,
  expectedAfter,
  expectedBeyond,
  isLong,
  nextDue,
} from './lane-count.js';

/** How much longer than a statement the pause after it is: counting may take 10 % of the time. */
const PAUSE_FACTOR = 9;
/** How often it looks for counts that are due again, in ms. */
const LOOK_EVERY = 500;
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
  private turn = 0;

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
          expected: expectedAfter(known.count),
          reached: 0,
          cursor: undefined,
        });
      }
    }
    this.wantedAt = performance.now();
    if (!this.isRunning && this.laneCounts.size > 0) {
      // The jobs have moved since an earlier count stopped half-way.
      this.laneCounts.forEach((each) => Object.assign(each, { reached: 0, cursor: undefined }));
      void this.run();
    }
  }

  /** Never rejects: where the database fails, the next request starts again. */
  private async run(): Promise<void> {
    this.isRunning = true;
    try {
      while (this.laneCounts.size > 0 && performance.now() - this.wantedAt < IDLE_AFTER) {
        const since = performance.now();
        const [first, ...others] = nextDue(this.laneCounts.values(), this.turn++, since);
        if (first && isLong(first)) {
          await this.countNext(first);
        } else if (first) {
          await this.countTogether([first, ...others]);
        }
        const pause = first ? (performance.now() - since) * PAUSE_FACTOR : LOOK_EVERY;
        await sleep(pause, undefined, { ref: false });
      }
    } catch {
      // The request that needs the database reports the error.
    } finally {
      this.isRunning = false;
    }
  }

  private async countTogether(laneCounts: readonly LaneCount[]): Promise<void> {
    const limit = Math.max(...laneCounts.map(({ expected }) => expected));
    const counts = await executeRead(this.engine, 'count jobs', (dialect) => countInLanes(dialect, laneCounts, limit));
    for (const [index, laneCount] of laneCounts.entries()) {
      const count = counts[index] ?? 0;
      if (count <= limit) {
        this.complete(laneCount, count);
      } else {
        laneCount.expected = expectedBeyond(limit);
        raiseMinimum(laneCount, limit);
      }
    }
  }

  private async countNext(laneCount: LaneCount): Promise<void> {
    const { jobs, next } = await executeRead(this.engine, 'count jobs', (dialect) =>
      countChunk(dialect, laneCount, laneCount.cursor, CHUNK),
    );
    const reached = laneCount.reached + jobs;
    if (next === undefined) {
      this.complete(laneCount, reached);
    } else {
      raiseMinimum(laneCount, reached);
    }
    laneCount.reached = next ? reached : 0;
    laneCount.cursor = next;
  }

  private complete(laneCount: LaneCount, count: number): void {
    laneCount.result = { count, isMinimum: false, countedAt: Date.now() };
    laneCount.since = performance.now();
    laneCount.expected = expectedAfter(count);
    const key = keyOf(laneCount);
    // The oldest count stays in front. It may no longer be requested.
    if (this.laneCounts.delete(key)) {
      this.laneCounts.set(key, laneCount);
    }
  }
}

function raiseMinimum(laneCount: LaneCount, reached: number): void {
  const { isMinimum, count } = laneCount.result;
  if (isMinimum && reached > count) {
    laneCount.result = { count: reached, isMinimum, countedAt: Date.now() };
  }
}

function keyOf({ queue, state }: StateOfQueue): string {
  return `${state} ${queue}`;
}

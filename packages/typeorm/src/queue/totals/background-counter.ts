import { setTimeout as sleep } from 'node:timers/promises';

import { type Engine, executeRead } from '../../engine/engine.js';
import { type CountCursor, countChunk } from '../../store/reports/count-chunk.js';
import { type CountedJobs, countInLanes } from '../../store/reports/count-in-lanes.js';

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
  /** Whether it has more jobs than are counted together with other lanes. */
  isLong: boolean;
  /** What the count under way has reached. */
  reached: number;
  cursor: CountCursor | undefined;
}

/** How many jobs a statement counts: 6 ms on MariaDB. See docs/decisions/0138. */
const CHUNK = 10_000;
/** How many short ones a statement counts together. See docs/decisions/0149. */
const MOST_TOGETHER = 50;
const MOST_OF_SHORT = CHUNK / MOST_TOGETHER;
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
          isLong: false,
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
        const since = performance.now();
        const [first, ...others] = this.nextDue();
        if (first?.isLong) {
          await this.countNext(first);
        } else if (first) {
          await this.countTogether([first, ...others]);
        }
        const pause = first ? (performance.now() - since) * PAUSE_FACTOR : FRESH / 10;
        await sleep(pause, undefined, { ref: false });
      }
    } catch {
      // The request that needs the database reports the error.
    } finally {
      this.isRunning = false;
    }
  }

  /** A long one, or short ones. */
  private nextDue(): LaneCount[] {
    const due: LaneCount[] = [];
    for (const laneCount of this.laneCounts.values()) {
      if (isDue(laneCount) && (due.length === 0 || !laneCount.isLong)) {
        due.push(laneCount);
      }
      if (due[0]?.isLong || due.length === MOST_TOGETHER) {
        break;
      }
    }
    return due;
  }

  private async countTogether(laneCounts: readonly LaneCount[]): Promise<void> {
    const counts = await executeRead(this.engine, 'count jobs', (dialect) =>
      countInLanes(dialect, laneCounts, MOST_OF_SHORT),
    );
    for (const [index, laneCount] of laneCounts.entries()) {
      const count = counts[index] ?? 0;
      laneCount.isLong = count > MOST_OF_SHORT;
      if (!laneCount.isLong) {
        complete(laneCount, count);
      }
      this.moveBehind(laneCount);
    }
  }

  private async countNext(laneCount: LaneCount): Promise<void> {
    const { jobs, next } = await executeRead(this.engine, 'count jobs', (dialect) =>
      countChunk(dialect, laneCount, laneCount.cursor, CHUNK),
    );
    const reached = laneCount.reached + jobs;
    const { isMinimum, count } = laneCount.result;
    if (next === undefined) {
      complete(laneCount, reached);
      laneCount.isLong = reached > MOST_OF_SHORT;
    } else if (isMinimum && reached > count) {
      laneCount.result = { count: reached, isMinimum, countedAt: Date.now() };
    }
    laneCount.reached = next ? reached : 0;
    laneCount.cursor = next;
    this.moveBehind(laneCount);
  }

  /** Behind the others, so that long ones do not keep short ones waiting. */
  private moveBehind(laneCount: LaneCount): void {
    const key = keyOf(laneCount);
    // It may no longer be requested.
    if (this.laneCounts.delete(key)) {
      this.laneCounts.set(key, laneCount);
    }
  }
}

function complete(laneCount: LaneCount, count: number): void {
  laneCount.result = { count, isMinimum: false, countedAt: Date.now() };
  laneCount.since = performance.now();
}

function isDue({ cursor, since, result }: LaneCount): boolean {
  return cursor !== undefined || result.isMinimum || performance.now() - since >= FRESH;
}

function keyOf({ queue, state }: StateOfQueue): string {
  return `${state} ${queue}`;
}

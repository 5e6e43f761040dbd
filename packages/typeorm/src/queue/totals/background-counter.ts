import { setTimeout as sleep } from 'node:timers/promises';

import { type Engine, executeRead } from '../../engine/engine.js';
import { type CountCursor, countChunk } from '../../store/reports/count-chunk.js';
import { type CountedJobs, countInLanes } from '../../store/reports/count-in-lanes.js';
import { isLive } from '../../tables/job.js';

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
  /** How many jobs it has at most, as far as is known. With more than a chunk it is long. */
  expected: number;
  /** Of a long one: what the count under way has reached. */
  reached: number;
  cursor: CountCursor | undefined;
}

/** How many jobs a statement counts: 6 ms on MariaDB. See docs/decisions/0138. */
const CHUNK = 10_000;
/** How many queues and states a statement counts together, and how many jobs of each at first. */
const MOST_TOGETHER = 50;
const FIRST_EXPECTED = CHUNK / MOST_TOGETHER;
/** How many times as many are expected if there were more than expected. */
const MORE = 8;
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
  private isTurnOfLive = true;

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
        if (first && isLong(first)) {
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

  /** A long one, or others that one statement counts. */
  private nextDue(): LaneCount[] {
    const due = [...this.laneCounts.values()].filter(isDue);
    // In turn: the finished jobs of many queues take minutes.
    this.isTurnOfLive = !this.isTurnOfLive;
    const ofTurn = due.filter(({ state }) => isLive(state) === this.isTurnOfLive);
    const [first, ...others] = byUrgency(ofTurn.length > 0 ? ofTurn : due);
    const together = first ? [first] : [];
    let most = first?.expected ?? 0;
    for (const each of others) {
      most = Math.max(most, each.expected);
      if (together.length === MOST_TOGETHER || most * (together.length + 1) > CHUNK) {
        break;
      }
      together.push(each);
    }
    return together;
  }

  private async countTogether(laneCounts: readonly LaneCount[]): Promise<void> {
    const limit = Math.max(...laneCounts.map(({ expected }) => expected));
    const counts = await executeRead(this.engine, 'count jobs', (dialect) => countInLanes(dialect, laneCounts, limit));
    for (const [index, laneCount] of laneCounts.entries()) {
      const count = counts[index] ?? 0;
      if (count <= limit) {
        this.complete(laneCount, count);
      } else {
        laneCount.expected = limit < CHUNK ? Math.min(CHUNK, limit * MORE) : Infinity;
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

/** With some more jobs, because queues grow. */
function expectedAfter(count: number): number {
  const expected = FIRST_EXPECTED + Math.ceil(count * 1.25);
  return expected > CHUNK ? Infinity : expected;
}

function isLong({ expected }: LaneCount): boolean {
  return expected > CHUNK;
}

function isDue({ cursor, since, result }: LaneCount): boolean {
  return cursor !== undefined || result.isMinimum || performance.now() - since >= FRESH;
}

/**
 * Those that were never counted, the short ones before the long ones; after that all, in their order. A long one whose
 * count is under way stays in front until it is complete.
 */
function byUrgency(due: readonly LaneCount[]): readonly LaneCount[] {
  const uncounted = due.filter(({ result }) => result.isMinimum);
  const short = uncounted.filter((each) => !isLong(each));
  return short.length > 0 ? short : uncounted.length > 0 ? uncounted : due;
}

function keyOf({ queue, state }: StateOfQueue): string {
  return `${state} ${queue}`;
}

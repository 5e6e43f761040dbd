import type { CountCursor } from '../../store/reports/count-chunk.js';
import type { CountedJobs } from '../../store/reports/count-in-lanes.js';
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

/** What is known of a queue and state, and how far its next count is. */
export interface LaneCount extends StateOfQueue {
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
export const CHUNK = 10_000;
/** How many queues and states a statement counts together, and how many jobs of each at first. */
const MOST_TOGETHER = 50;
const FIRST_EXPECTED = CHUNK / MOST_TOGETHER;
/** How many times as many are expected if there were more than expected. */
const MORE = 8;
/** How old a count gets at least, in ms. */
const FRESH = 5_000;

/** How many jobs to expect after a complete count: some more, because queues grow. */
export function expectedAfter(count: number): number {
  const expected = Math.max(FIRST_EXPECTED, Math.ceil(count * 1.25));
  return expected > CHUNK ? Infinity : expected;
}

/** How many jobs to expect if there were more than the limit of a statement. */
export function expectedBeyond(limit: number): number {
  return limit < CHUNK ? Math.min(CHUNK, limit * MORE) : Infinity;
}

/** Whether it has more jobs than one statement counts. */
export function isLong({ expected }: Pick<LaneCount, 'expected'>): boolean {
  return expected > CHUNK;
}

/**
 * Chooses what the next statement counts: a long one, or several short ones. A long one whose count is under way comes
 * first, so that few jobs move during its count.
 *
 * @param laneCounts the oldest count first.
 * @param turn the number of the statement: unfinished and finished jobs take turns, and so do long and short ones.
 * @param now by the clock that never jumps.
 */
export function nextDue(laneCounts: Iterable<LaneCount>, turn: number, now: number): LaneCount[] {
  const due = [...laneCounts].filter((each) => isDue(each, now));
  const isTurnOfLive = turn % 2 === 0;
  const isTurnOfLong = Math.floor(turn / 2) % 2 === 0;
  const ofTurn = due.filter(({ state }) => isLive(state) === isTurnOfLive);
  const candidates = ofTurn.length > 0 ? ofTurn : due;
  const short = candidates.filter((each) => !isLong(each));
  const long = candidates.find(isLong);
  if (long && (isTurnOfLong || short.length === 0)) {
    return [long];
  }
  const uncounted = short.filter(({ result }) => result.isMinimum);
  return together(uncounted.length > 0 ? uncounted : short);
}

function isDue({ cursor, since, result }: LaneCount, now: number): boolean {
  return cursor !== undefined || result.isMinimum || now - since >= FRESH;
}

/** The first one, and those of the others that one statement counts with it. */
function together(short: readonly LaneCount[]): LaneCount[] {
  const chosen: LaneCount[] = [];
  let most = 0;
  for (const each of short) {
    const limit = Math.max(most, each.expected);
    if (limit * (chosen.length + 1) <= CHUNK) {
      chosen.push(each);
      most = limit;
    }
  }
  return chosen;
}

import { type Engine, executeRead } from '../../engine/engine.js';
import { groupBy } from '../../group-by.js';
import { type LaneOfJobs, statesOf } from '../../store/base/order/find-lanes.js';
import { countInLanes } from '../../store/reports/count-in-lanes.js';
import { LIVE_STATES, type LiveState, OUTCOMES, type Outcome, isLive } from '../../tables/job.js';
import { BackgroundCounter } from './background-counter.js';
import type { BackgroundCount, StateOfQueue } from './lane-count.js';
import { Trends } from './trends.js';

/** A number of jobs, however many there are. */
export interface JobTotal {
  readonly count: number;
  /** Whether it is a minimum, because they are still being counted for the first time. */
  readonly isMinimum: boolean;
  /** Whether it was counted in several statements, while jobs moved on. Otherwise it was exact at `countedAt`. */
  readonly isEstimate: boolean;
  /** When it was counted, by the clock of this process; of a sum, when the oldest part of it was. */
  readonly countedAt: Date;
  /** How many jobs it has changed by in a minute, on average over up to five minutes; undefined if not known yet. */
  readonly perMinute: number | undefined;
}

/** The totals of jobs by state. */
export type TotalsByState = Readonly<Record<LiveState | Outcome, JobTotal>>;

/** The result of `activity.totals`. */
export interface JobTotals {
  /** All queues together. */
  readonly states: TotalsByState;
  /** Each queue with jobs, by name. */
  readonly queues: readonly { readonly queue: string; readonly states: TotalsByState }[];
}

/** A count without its trend. */
type Count = Omit<JobTotal, 'perMinute'>;

/** Jobs of a queue and state are counted exactly up to this number. See docs/decisions/0075. */
const MOST_EXACT = 5_000;
/** Of how many queues and states, and how many jobs in all, at most. See docs/decisions/0149. */
const MOST_COUNTED = 200;
const MOST_JOBS = 100_000;
const EXACT_FIRST: readonly (LiveState | Outcome)[] = ['running', 'ready', 'waiting', 'scheduled', ...OUTCOMES];
const STATES = [...LIVE_STATES, ...OUTCOMES];

/**
 * Counts jobs of any number: exactly while a queue and state has few, and otherwise in the background. See
 * docs/decisions/0138.
 */
export class JobTotalsReader {
  private readonly background: BackgroundCounter;
  private readonly trends = new Trends();

  constructor(private readonly engine: Engine) {
    this.background = new BackgroundCounter(engine);
  }

  /** @param lanes all of them. */
  async read(lanes: readonly LaneOfJobs[]): Promise<JobTotals> {
    const parts = await this.countParts(statesOf(lanes));
    const byQueue = groupBy(parts, ({ queue }) => queue);
    return {
      states: this.totalsOf('', parts),
      queues: [...byQueue]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([queue, ofQueue]) => {
          return { queue, states: this.totalsOf(queue, ofQueue) };
        }),
    };
  }

  /**
   * Counts each queue and state. Counted in the background: finished jobs, because they change slowly, long queues, and
   * of many queues those that one statement cannot count.
   */
  private async countParts(states: readonly StateOfQueue[]): Promise<(StateOfQueue & Count)[]> {
    const counted = states
      .filter((each) => isLive(each.state) || !this.background.find(each))
      .sort((one, other) => EXACT_FIRST.indexOf(one.state) - EXACT_FIRST.indexOf(other.state))
      .slice(0, MOST_COUNTED);
    const limit = Math.min(MOST_EXACT, Math.floor(MOST_JOBS / counted.length));
    const numbers = await executeRead(this.engine, 'count jobs', (dialect) => countInLanes(dialect, counted, limit));
    const now = Date.now();
    const exact = new Map(counted.map((each, index) => [each, knownOf(numbers[index] ?? 0, limit, now)]));
    const partsOf = states.map((each) => {
      const known = exact.get(each) ?? { count: 1, isMinimum: true, countedAt: now };
      return { ...each, known, isInBackground: known.isMinimum || !isLive(each.state) };
    });
    this.background.request(partsOf.filter(({ isInBackground }) => isInBackground));
    return partsOf.map(({ queue, state, known, isInBackground }) => {
      const count = isInBackground ? this.background.find({ queue, state }) : undefined;
      return { queue, state, ...toCount(count ?? known) };
    });
  }

  private totalsOf(name: string, parts: readonly (StateOfQueue & Count)[]): TotalsByState {
    const total = (state: LiveState | Outcome): JobTotal => {
      const sum = sumOf(parts.filter((part) => part.state === state));
      return {
        ...sum,
        perMinute: sum.isMinimum ? undefined : this.trends.add(`${state} ${name}`, sum.count),
      };
    };
    return Object.fromEntries(STATES.map((state) => [state, total(state)])) as unknown as TotalsByState;
  }
}

function knownOf(counted: number, limit: number, countedAt: number): BackgroundCount {
  return { count: Math.min(counted, limit), isMinimum: counted > limit, countedAt };
}

function toCount({ count, isMinimum, countedAt }: BackgroundCount): Count {
  return { count, isMinimum, isEstimate: count > MOST_EXACT, countedAt: new Date(countedAt) };
}

function sumOf(parts: readonly Count[]): Count {
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    isMinimum: parts.some(({ isMinimum }) => isMinimum),
    isEstimate: parts.some(({ isEstimate }) => isEstimate),
    countedAt: new Date(parts.reduce((oldest, { countedAt }) => Math.min(oldest, countedAt.getTime()), Date.now())),
  };
}

import { type Engine, executeRead } from '../../engine/engine.js';
import { select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { countInLanes } from '../../store/reports/count-in-lanes.js';
import { LIVE_STATES, type LiveState, OUTCOMES, type Outcome, isLive } from '../../tables/job.js';
import { type BackgroundCount, BackgroundCounter, type StateOfQueue } from './background-counter.js';
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

  async read(): Promise<JobTotals> {
    const parts = await this.countParts();
    const queues = [...new Set(parts.map(({ queue }) => queue))].sort();
    const partsOf = (queue: string) => parts.filter((part) => part.queue === queue);
    return {
      states: this.totalsOf('', parts),
      queues: queues.map((queue) => ({ queue, states: this.totalsOf(queue, partsOf(queue)) })),
    };
  }

  /** Counts each queue and state. Finished jobs are counted in the background, because they change slowly. */
  private async countParts(): Promise<(StateOfQueue & Count)[]> {
    const states = await executeRead(this.engine, 'count jobs', function* ({ lanes }) {
      return yield* select<StateOfQueue>(sql`SELECT DISTINCT lanes.queue, lanes.state FROM (${lanes}) lanes`);
    });
    const counted = states.filter((each) => isLive(each.state) || !this.background.find(each));
    const numbers = await executeRead(this.engine, 'count jobs', (dialect) =>
      countInLanes(dialect, counted, MOST_EXACT),
    );
    const now = Date.now();
    const exact = new Map(counted.map((each, index) => [each, numbers[index] ?? 0]));
    const inBackground = new Set(states.filter((each) => !isLive(each.state) || isLong(exact.get(each))));
    this.background.request([...inBackground].map((each) => ({ ...each, known: knownOf(exact.get(each), now) })));
    return states.map((each) => {
      const count = inBackground.has(each) ? this.background.find(each) : undefined;
      return { queue: each.queue, state: each.state, ...toCount(count ?? knownOf(exact.get(each), now)) };
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

/** Whether counting stopped early. */
function isLong(counted: number | undefined): boolean {
  return (counted ?? 0) > MOST_EXACT;
}

function knownOf(counted = 0, countedAt: number): BackgroundCount {
  return { count: Math.min(counted, MOST_EXACT), isMinimum: isLong(counted), countedAt };
}

function toCount({ count, isMinimum, countedAt }: BackgroundCount): Count {
  return { count, isMinimum, isEstimate: count > MOST_EXACT, countedAt: new Date(countedAt) };
}

function sumOf(parts: readonly Count[]): Count {
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    isMinimum: parts.some(({ isMinimum }) => isMinimum),
    isEstimate: parts.some(({ isEstimate }) => isEstimate),
    countedAt: new Date(Math.min(Date.now(), ...parts.map(({ countedAt }) => countedAt.getTime()))),
  };
}

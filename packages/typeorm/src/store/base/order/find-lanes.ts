import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import type { LiveState, Outcome } from '../../../tables/job.js';

/** A lane that has jobs. */
export interface LaneOfJobs {
  readonly queue: string;
  readonly state: LiveState | Outcome;
  readonly lane: number;
  /** The positions of its first and its last job. */
  readonly earliest: number;
  readonly latest: number;
}

/**
 * Finds all lanes, by queue. Index: jumps from lane to lane, whatever their lengths. Locks nothing.
 *
 * Callers choose among them: MariaDB 10.11 moves a condition into the derived table, and sorts there.
 */
export function* findLanes({ lanes }: Dialect): Operation<LaneOfJobs[]> {
  const rows = yield* select<Record<keyof LaneOfJobs, string | number>>(lanes);
  return rows.map(({ queue, state, lane, earliest, latest }) => ({
    queue: queue as string,
    state: state as LaneOfJobs['state'],
    lane: Number(lane),
    earliest: Number(earliest),
    latest: Number(latest),
  }));
}

/** The states of each queue that have jobs. */
export function statesOf(lanes: readonly LaneOfJobs[]): Pick<LaneOfJobs, 'queue' | 'state'>[] {
  const states = lanes.map(({ queue, state }) => [`${state} ${queue}`, { queue, state }] as const);
  return [...new Map(states).values()];
}

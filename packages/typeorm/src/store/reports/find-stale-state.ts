import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { findAbandonedLanes } from '../base/abandoned-lanes.js';
import type { LaneOfJobs } from '../base/order/find-lanes.js';

/** After how long the end of a lease counts as missed by the reaper, in ms. */
const REAPED_WITHIN = 60_000;
/** How far a tick may be ahead of the clock that reads it, in ms: the nodes of a cluster have clocks of their own. */
const CLOCK_TOLERANCE = 60_000;

/** When a maintenance task is due, in ms from now. */
export interface TaskDue {
  readonly task: string;
  readonly dueIn: number;
}

/** State in the tables that maintenance should have changed. */
export interface StaleState {
  /** Queues and workers whose jobs are running although the worker has no lease. */
  readonly abandonedLanes: number;
  /** The queues of these lanes. */
  readonly abandonedQueues: readonly string[];
  /** How long ago the first of their leases ended, in ms; undefined if none of them has a row. */
  readonly abandonedFor: number | undefined;
  /** The tasks that have a row. */
  readonly tasks: readonly TaskDue[];
  /** Schedules whose next tick was calculated while the clock was ahead. */
  readonly schedulesAhead: number;
}

/**
 * Finds state that maintenance should have changed. Index: the lanes of running jobs, no job. Otherwise reads small
 * tables. Locks nothing.
 *
 * @param lanes all of them.
 */
export function* findStaleState(dialect: Dialect, lanes: readonly LaneOfJobs[]): Operation<StaleState> {
  const { tables, now } = dialect;
  const queues = new Set(lanes.flatMap(({ queue, state }) => (state === 'running' ? queue : [])));
  const abandoned = yield* findAbandonedLanes(dialect, [...queues], REAPED_WITHIN);
  const tasks = yield* select<{ task: string; due_in: number | string }>(
    sql`SELECT task, next_run_at - ${now} AS due_in FROM ${tables.maintenance}`,
  );
  const [schedules] = yield* select<{ ahead: number | string }>(
    sql`SELECT COUNT(*) AS ahead FROM ${tables.schedule}
        WHERE last_fire_at > ${now} + ${CLOCK_TOLERANCE} AND next_fire_at > last_fire_at`,
  );
  const endedFor = abandoned.flatMap((lane) => lane.endedFor ?? []);
  return {
    abandonedLanes: abandoned.length,
    abandonedQueues: [...new Set(abandoned.map(({ queue }) => queue))],
    abandonedFor: endedFor.length > 0 ? Math.max(...endedFor) : undefined,
    tasks: tasks.map(({ task, due_in: dueIn }) => ({ task, dueIn: Number(dueIn) })),
    schedulesAhead: Number(schedules?.ahead),
  };
}

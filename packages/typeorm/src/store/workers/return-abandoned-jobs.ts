import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { INTO_READY_LANE_AFTER_CRASH, type MovedJobs, moveToReadyLane } from '../base/order/lane.js';
import type { RunningLane } from '../base/abandoned-lanes.js';
import { REPORTED_COLUMNS, type ReportedJob, toReportedJob } from '../base/jobs/reported-job.js';

/** What one transaction returned from a lane. */
export interface ReturnedBatch extends MovedJobs {
  /** The returned jobs, with the interrupted attempt, if they were asked for. */
  readonly stalled: readonly ReportedJob[];
}

/**
 * running → ready, for jobs of an owner without a lease. Counts a crash, but no failure. See docs/decisions/0043.
 *
 * An ended lease is never renewed (see `renewLease`), so the owner cannot come back meanwhile. Its late completions are
 * fenced: its jobs have another owner and soon a higher attempt. If the process dies, the next run finds the lane
 * again.
 *
 * Index: the lane, then the primary key. Locks: the returned rows, skipping those that a late completion has locked.
 *
 * @param withJobs whether to read the returned jobs: one more statement by primary key, of rows that are locked.
 */
export function* returnAbandonedJobs(
  dialect: Dialect,
  { queue, owner }: RunningLane,
  withJobs: boolean,
): Operation<ReturnedBatch> {
  const batch = yield* moveToReadyLane(dialect, { queue, state: 'running', lane: owner }, INTO_READY_LANE_AFTER_CRASH);
  return { ...batch, stalled: withJobs && batch.ids.length > 0 ? yield* readStalled(dialect, batch.ids) : [] };
}

function* readStalled({ tables, byPrimaryKey }: Dialect, ids: readonly Buffer[]): Operation<ReportedJob[]> {
  const rows = yield* select(
    sql`SELECT ${REPORTED_COLUMNS} FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${sql.list(ids)})`,
  );
  return rows.map(toReportedJob);
}

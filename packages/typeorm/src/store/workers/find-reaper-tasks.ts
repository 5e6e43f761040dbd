import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type AbandonedLane, findAbandonedLanes } from '../base/abandoned-lanes.js';
import { isOverdue } from '../base/steps/overdue-signals.js';
import { isLeaseAhead } from './rebase-leases.js';

export interface ReaperTasks {
  /** The lanes of running jobs whose owner has no lease: it has ended, or the worker is not registered. */
  readonly abandoned: readonly AbandonedLane[];
  /** Whether there are workers whose lease has ended. */
  readonly hasExpiredWorkers: boolean;
  /** Whether there are leases from a time when the clock was ahead. */
  readonly hasLeasesAhead: boolean;
  /** Whether there are requests to cancel running jobs. */
  readonly hasCancellations: boolean;
  /** Whether there are jobs whose expiry time has passed, started or not. */
  readonly hasExpiries: boolean;
  /** Whether there are unique keys whose period is over. */
  readonly hasExpiredWindows: boolean;
  /** Whether there are unfinished groups. */
  readonly hasGroups: boolean;
  /** Whether there are signals for which no process has woken up a job. */
  readonly hasSignals: boolean;
  /** Whether there are jobs that wait until they are the heads of their order keys. */
  readonly hasOrderedJobs: boolean;
}

/**
 * Finds the work for the reaper: one statement, and another one for the queues that have jobs, because idle workers
 * send them every few seconds. Reads only the lanes, no job. Locks nothing.
 */
export function* findReaperTasks(dialect: Dialect): Operation<ReaperTasks> {
  const { worker, cancellation, unique, group, signal, ordered, expiry } = dialect.tables;
  const rows = yield* select<{ kind: string; queue: string }>(
    sql`SELECT 'queue' AS kind, queue FROM (${dialect.queues}) queues
        UNION ALL
        SELECT * FROM (SELECT 'worker', NULL FROM ${worker} WHERE lease_until <= ${dialect.now} LIMIT 1) workers
        UNION ALL
        SELECT * FROM (SELECT 'lease ahead', NULL FROM ${worker} WHERE ${isLeaseAhead(dialect)} LIMIT 1) leases
        UNION ALL
        SELECT * FROM (SELECT 'cancellation', NULL FROM ${cancellation} LIMIT 1) cancellations
        UNION ALL
        SELECT * FROM (
          SELECT 'window', NULL FROM ${unique} WHERE lasts = 'window' AND window_until <= ${dialect.now} LIMIT 1
        ) windows
        UNION ALL
        SELECT * FROM (SELECT 'expiry', NULL FROM ${expiry} WHERE check_at <= ${dialect.now} LIMIT 1) expiries
        UNION ALL
        SELECT * FROM (SELECT 'group', NULL FROM ${group} WHERE finished_at IS NULL LIMIT 1) open_groups
        UNION ALL
        SELECT * FROM (SELECT 'signal', NULL FROM ${signal} WHERE ${isOverdue(dialect)} LIMIT 1) signals
        UNION ALL
        SELECT * FROM (SELECT 'ordered', NULL FROM ${ordered} LIMIT 1) ordered_jobs`,
  );
  const queues = rows.filter(({ kind }) => kind === 'queue').map(({ queue }) => queue);
  const has = (wanted: string) => rows.some(({ kind }) => kind === wanted);
  return {
    abandoned: yield* findAbandonedLanes(dialect, queues),
    hasExpiredWorkers: has('worker'),
    hasLeasesAhead: has('lease ahead'),
    hasCancellations: has('cancellation'),
    hasExpiries: has('expiry'),
    hasExpiredWindows: has('window'),
    hasGroups: has('group'),
    hasSignals: has('signal'),
    hasOrderedJobs: has('ordered'),
  };
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import type { MemberOutcome } from '../../tables/member.js';
import { type GroupsOfJob, findGroupsOf } from './find-groups-of.js';
import { timeOf } from './find-jobs.js';

/** The worker that runs a job. */
export interface WorkerOfJob {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  /** Until when it may run it, by the database's clock, unless it renews its lease. */
  readonly leaseEndsAt: Date;
}

/** What belongs to a job beside its own row. */
export interface JobRelations extends GroupsOfJob {
  /** Undefined where none runs it, or the one that did has died. */
  readonly worker: WorkerOfJob | undefined;
  /** When somebody has asked it to end; undefined where nobody has, or it has ended. */
  readonly cancelRequestedAt: Date | undefined;
  /** What ties it to the trace it was enqueued in. */
  readonly trace: string | undefined;
}

/** Reads what belongs to a job. Index: the primary keys. Locks nothing. */
export function* findJobRelations(dialect: Dialect, id: Buffer): Operation<JobRelations> {
  const { tables, now } = dialect;
  const [row] = yield* select(
    `SELECT job.trace, job.group_id, job.outcome, worker.id AS worker, worker.host, worker.pid, worker.lease_until, cancellation.requested_at
     FROM (SELECT id, trace, group_id, 'open' AS outcome, owner, state FROM ${tables.job} WHERE id = ?
           UNION ALL
           SELECT id, trace, NULL, state, 0, state FROM ${tables.history} WHERE id = ?) job
     LEFT JOIN ${tables.worker} worker ON worker.id = job.owner AND job.state = 'running' AND worker.lease_until > ${now}
     LEFT JOIN ${tables.cancellation} cancellation ON cancellation.job_id = job.id`,
    [id, id],
  );
  return {
    worker:
      row && row.worker !== null
        ? {
            id: Number(row.worker),
            host: row.host as string,
            pid: Number(row.pid),
            leaseEndsAt: timeOf(row.lease_until) as Date,
          }
        : undefined,
    cancelRequestedAt: timeOf(row?.requested_at),
    trace: (row?.trace as string | null | undefined) ?? undefined,
    ...(yield* findGroupsOf(dialect, id, {
      outcome: (row?.outcome as MemberOutcome | undefined) ?? 'open',
      group: (row?.group_id as Buffer | null | undefined) ?? null,
    })),
  };
}

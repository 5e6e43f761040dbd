import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { IS_LIVE } from '../base/order/lane.js';
import { type GroupsOfJob, findGroupsOf } from './find-groups-of.js';
import { timeOf } from './find-jobs.js';

export interface WorkerOfJob {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  /** The end of its lease, by the database's clock. */
  readonly leaseEndsAt: Date;
}

/** The rows of other tables that belong to a job. */
export interface JobRelations extends GroupsOfJob {
  /** Undefined if no live worker runs it. */
  readonly worker: WorkerOfJob | undefined;
  /** When its cancellation was requested; undefined if it was not, or the job has finished. */
  readonly cancelRequestedAt: Date | undefined;
  /** The trace context it was enqueued in. */
  readonly trace: string | undefined;
}

/** Finds the relations of a job. Index: the primary keys. Locks nothing. */
export function* findJobRelations(dialect: Dialect, id: Buffer): Operation<JobRelations> {
  const { tables, now } = dialect;
  const [row] = yield* select(
    sql`SELECT job.trace, job.group_id, worker.id AS worker, worker.host, worker.pid, worker.lease_until,
               cancellation.requested_at
        FROM ${tables.job} job
        LEFT JOIN ${tables.worker} worker
          ON worker.id = job.owner AND job.state = 'running' AND worker.lease_until > ${now}
        LEFT JOIN ${tables.cancellation} cancellation ON cancellation.job_id = job.id AND ${IS_LIVE}
        WHERE job.id = ${id}`,
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
    ...(yield* findGroupsOf(dialect, id, (row?.group_id as Buffer | null | undefined) ?? null)),
  };
}

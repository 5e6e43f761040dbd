import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Row, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { IS_LIVE } from '../base/order/lane.js';
import { findOrderOf } from '../base/ordered/find-order-of.js';
import { type GroupsOfJob, findGroupsOf } from './find-groups-of.js';
import { timeOf } from './find-jobs.js';

export interface WorkerOfJob {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  /** The end of its lease, by the database's clock. */
  readonly leaseEndsAt: Date;
}

/** The place of a job among those of its order key. */
export interface OrderOfJob {
  readonly key: string;
  /** The only job of the key that may run, or the failed one that blocks it; undefined if there is none. */
  readonly head: string | undefined;
  /** Since when the key is blocked by its failed head, by the database's clock; undefined if it is not. */
  readonly blockedAt: Date | undefined;
  /** How many jobs are ahead of it beside the head, at most 1,000; undefined if it does not wait for its turn. */
  readonly ahead: number | undefined;
}

/** The rows of other tables that belong to a job. */
export interface JobRelations extends GroupsOfJob {
  /** Undefined if no live worker runs it. */
  readonly worker: WorkerOfJob | undefined;
  /** When its cancellation was requested; undefined if it was not, or the job has finished. */
  readonly cancelRequestedAt: Date | undefined;
  /** The trace context it was enqueued in. */
  readonly trace: string | undefined;
  /** Undefined for a job without an order. */
  readonly order: OrderOfJob | undefined;
}

/** Finds the relations of a job. Index: the primary keys. Locks nothing. */
export function* findJobRelations(dialect: Dialect, id: Buffer): Operation<JobRelations> {
  const { tables, now } = dialect;
  const [row] = yield* select(
    sql`SELECT job.trace, job.group_id, job.name, job.order_key, worker.id AS worker, worker.host, worker.pid, worker.lease_until,
               cancellation.requested_at
        FROM ${tables.job} job
        LEFT JOIN ${tables.worker} worker
          ON worker.id = job.owner AND job.state = 'running' AND worker.lease_until > ${now}
        LEFT JOIN ${tables.cancellation} cancellation ON cancellation.job_id = job.id AND job.${IS_LIVE}
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
    order: row && row.order_key !== null ? yield* orderOf(dialect, id, row) : undefined,
    ...(yield* findGroupsOf(dialect, id, (row?.group_id as Buffer | null | undefined) ?? null)),
  };
}

function* orderOf(dialect: Dialect, id: Buffer, row: Row): Operation<OrderOfJob> {
  const key = row.order_key as string;
  const { head, blockedAt, ahead } = yield* findOrderOf(dialect, id, { name: row.name as string, key });
  return {
    key,
    head: head === null ? undefined : uuidFromBytes(head),
    blockedAt: timeOf(blockedAt),
    ahead: ahead ?? undefined,
  };
}

import type { JobOrder } from '../../definition/order.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** A stored job, as a copy of it needs it. */
export interface StoredJobRow {
  readonly queue: string;
  readonly name: string;
  /** Its text as it is stored. */
  readonly payload: string | null;
  readonly payloadVersion: number;
  readonly priority: number;
  readonly key: string | null;
  readonly uniqueKey: string | null;
  readonly order: JobOrder | null;
  readonly tenant: string | null;
}

interface JobRow {
  readonly queue: string;
  readonly name: string;
  readonly payload: string | null;
  readonly payload_version: number | string;
  readonly priority: number | string;
  readonly job_key: string | null;
  readonly unique_key: string | null;
  readonly order_key: string | null;
  readonly order_blocks: number | string | null;
  readonly tenant: string | null;
}

/** Reads a job with its stored payload; undefined if there is none. Index: the primary key. Locks nothing. */
export function* findJobRow({ tables }: Dialect, id: Buffer): Operation<StoredJobRow | undefined> {
  const [row] = yield* select<JobRow>(
    sql`SELECT queue, name, payload, payload_version, priority, job_key, unique_key, order_key, order_blocks, tenant
        FROM ${tables.job} WHERE id = ${id}`,
  );
  return (
    row && {
      queue: row.queue,
      name: row.name,
      payload: row.payload,
      payloadVersion: Number(row.payload_version),
      priority: Number(row.priority),
      key: row.job_key,
      uniqueKey: row.unique_key,
      order: row.order_key === null ? null : { key: row.order_key, blocks: Number(row.order_blocks) === 1 },
      tenant: row.tenant,
    }
  );
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { laneOf } from '../base/order/tenant-lane.js';

/** How many more jobs of each tenant may run. Jobs without a tenant are not limited. */
export class TenantCapacity {
  private readonly running = new Map<string, number>();

  /** @param limit how many jobs of each tenant may run; Infinity without a limit. */
  constructor(private readonly limit: number) {}

  isFull(tenant: string | null): boolean {
    return tenant !== null && (this.running.get(tenant) ?? 0) >= this.limit;
  }

  acquire(tenant: string | null, jobs = 1): void {
    if (tenant !== null) {
      this.running.set(tenant, (this.running.get(tenant) ?? 0) + jobs);
    }
  }

  release(tenant: string | null): void {
    this.acquire(tenant, -1);
  }

  /** The lanes of the tenants at their limit; another tenant may share one. */
  get fullLanes(): ReadonlySet<number> {
    return new Set([...this.running.keys()].filter((tenant) => this.isFull(tenant)).map(laneOf));
  }
}

/**
 * Counts the running jobs of each tenant of a queue. Part of a claim's transaction that has locked the queue's row, so
 * no other claim changes the count. Index: the running lanes, and the rows of the running jobs: no more than the limits
 * allow.
 *
 * @param limit null without a limit: then nothing is counted.
 */
export function* capacityOfTenants(
  { tables, byLane }: Dialect,
  queue: string,
  limit: number | null,
): Operation<TenantCapacity> {
  const capacity = new TenantCapacity(limit ?? Infinity);
  if (limit !== null) {
    const rows = yield* select<{ tenant: string | null; jobs: number | string }>(
      sql`SELECT tenant, COUNT(*) AS jobs FROM ${tables.job} ${byLane}
          WHERE queue = ${queue} AND state = 'running' GROUP BY tenant`,
    );
    rows.forEach(({ tenant, jobs }) => capacity.acquire(tenant, Number(jobs)));
  }
  return capacity;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { laneOf } from './tenant-lanes.js';

/** How many more jobs of each tenant may run. Jobs without a tenant are not limited. */
export class TenantCapacity {
  private readonly running = new Map<string, number>();

  /** @param limit how many jobs of each may run; Infinity where there is no limit. */
  constructor(private readonly limit: number) {}

  isFull(tenant: string | null): boolean {
    return tenant !== null && (this.running.get(tenant) ?? 0) >= this.limit;
  }

  take(tenant: string | null, jobs = 1): void {
    if (tenant !== null) {
      this.running.set(tenant, (this.running.get(tenant) ?? 0) + jobs);
    }
  }

  giveBack(tenant: string | null): void {
    this.take(tenant, -1);
  }

  /** The lanes of those that have no room; another tenant may stand in one as well. */
  get fullLanes(): ReadonlySet<number> {
    return new Set([...this.running.keys()].filter((tenant) => this.isFull(tenant)).map(laneOf));
  }
}

/**
 * Counts what runs for each tenant of a queue. Part of a claim's transaction that has locked the queue's row, so no other
 * claim adds to it. Index: the running lanes, and the jobs' rows: as many as run, and no more than the limits allow.
 *
 * @param limit null where there is none: then nothing is counted.
 */
export function* capacityOfTenants(
  { tables, byLane }: Dialect,
  queue: string,
  limit: number | null,
): Operation<TenantCapacity> {
  const room = new TenantCapacity(limit ?? Infinity);
  if (limit !== null) {
    const rows = yield* select<{ tenant: string | null; jobs: number | string }>(
      `SELECT tenant, COUNT(*) AS jobs FROM ${tables.job} ${byLane} WHERE queue = ? AND state = 'running' GROUP BY tenant`,
      [queue],
    );
    rows.forEach(({ tenant, jobs }) => room.take(tenant, Number(jobs)));
  }
  return room;
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { laneOf } from '../base/order/tenant-lane.js';
import type { TenantTokens } from './tenant-rates.js';

/** Why no job of a tenant can be claimed: its limit of running jobs, or its rate. */
export type TenantLimit = 'concurrency' | 'rate';

/** How many more jobs of each tenant may run and start. Jobs without a tenant are not limited. */
export class TenantCapacity {
  private readonly running = new Map<string, number>();

  /**
   * @param limit how many jobs of each tenant may run; Infinity without a limit.
   * @param tokens undefined without a rate.
   */
  constructor(
    private readonly limit: number,
    private readonly tokens: TenantTokens | undefined,
  ) {}

  addRunning(tenant: string | null, jobs: number): void {
    if (tenant !== null) {
      this.running.set(tenant, (this.running.get(tenant) ?? 0) + jobs);
    }
  }

  /** The limit that a tenant is at; the rate if it is at both, because only its end is known. */
  limitOf(tenant: string | null): TenantLimit | undefined {
    if (tenant === null) {
      return undefined;
    }
    if (this.tokens?.isEmpty(tenant)) {
      return 'rate';
    }
    return (this.running.get(tenant) ?? 0) >= this.limit ? 'concurrency' : undefined;
  }

  acquire(tenant: string | null, jobs = 1): void {
    this.addRunning(tenant, jobs);
    if (tenant !== null) {
      this.tokens?.take(tenant, jobs);
    }
  }

  release(tenant: string | null): void {
    this.acquire(tenant, -1);
  }

  /** The lanes of the tenants at a limit; another tenant may share one. */
  get fullLanes(): ReadonlyMap<number, TenantLimit> {
    const full = new Map<number, TenantLimit>();
    for (const tenant of [...this.running.keys(), ...(this.tokens?.known ?? [])]) {
      const limit = this.limitOf(tenant);
      if (limit) {
        full.set(laneOf(tenant), limit);
      }
    }
    return full;
  }

  /** The lanes of the tenants at their rate, and in how many ms each has a token again. */
  get limitedLanes(): ReadonlyMap<number, number> {
    const tenants = (this.tokens?.known ?? []).filter((tenant) => this.limitOf(tenant) === 'rate');
    return new Map(tenants.map((tenant) => [laneOf(tenant), this.tokens?.freeIn(tenant) ?? 0]));
  }
}

/**
 * Counts the running jobs of each tenant of a queue. Part of a claim's transaction that has locked the queue's row, so
 * no other claim changes the count. Index: the running lanes, and the rows of the running jobs: no more than the limits
 * allow.
 *
 * @param limit null without a limit: then nothing is counted.
 * @param tokens undefined without a rate.
 */
export function* capacityOfTenants(
  { tables, byLane }: Dialect,
  queue: string,
  limit: number | null,
  tokens: TenantTokens | undefined,
): Operation<TenantCapacity> {
  const capacity = new TenantCapacity(limit ?? Infinity, tokens);
  if (limit !== null) {
    const rows = yield* select<{ tenant: string | null; jobs: number | string }>(
      sql`SELECT tenant, COUNT(*) AS jobs FROM ${tables.job} ${byLane}
          WHERE queue = ${queue} AND state = 'running' GROUP BY tenant`,
    );
    rows.forEach(({ tenant, jobs }) => capacity.addRunning(tenant, Number(jobs)));
  }
  return capacity;
}

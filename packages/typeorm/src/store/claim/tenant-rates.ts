import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { laneOf } from '../base/order/tenant-lane.js';
import { toRate } from '../base/queue-settings.js';
import { type Rate, costOf, emptyAhead, isTooFarAhead, nowInMicroseconds, retryIn, tokensAt } from '../base/rate.js';

/** How far ahead `full_at` of a tenant is, in µs. */
interface TenantAhead {
  readonly lane: number;
  readonly tenant: string;
  readonly ahead: number;
}

interface AheadRow {
  readonly lane: number | string;
  readonly tenant: string;
  readonly ahead: number | string;
}

function toTenantAhead({ lane, tenant, ahead }: AheadRow): TenantAhead {
  return { lane: Number(lane), tenant, ahead: Number(ahead) };
}

/** The tokens of the tenants in some lanes. A tenant without a row has all of them. */
export class TenantTokens {
  private readonly ahead: ReadonlyMap<string, number>;
  private readonly taken = new Map<string, number>();

  constructor(
    private readonly rate: Rate,
    rows: readonly TenantAhead[],
  ) {
    this.ahead = new Map(rows.map(({ tenant, ahead }) => [tenant, ahead]));
  }

  /** The tenants that have used tokens. */
  get known(): readonly string[] {
    return [...new Set([...this.ahead.keys(), ...this.taken.keys()])];
  }

  isEmpty(tenant: string): boolean {
    return tokensAt(this.rate, this.ahead.get(tenant) ?? 0) <= (this.taken.get(tenant) ?? 0);
  }

  take(tenant: string, tokens: number): void {
    this.taken.set(tenant, (this.taken.get(tenant) ?? 0) + tokens);
  }

  /** In how many ms to claim its jobs again. */
  freeIn(tenant: string): number {
    const ahead = Math.max(0, this.ahead.get(tenant) ?? 0);
    return retryIn(this.rate, ahead + costOf(this.rate, this.taken.get(tenant) ?? 0));
  }
}

/**
 * Reads the tokens of the tenants in some lanes. Part of a claim's transaction that has locked the queue's row, so no
 * other claim changes them. Index: the primary key, one range for each lane. Locks nothing, unless it corrects rows.
 *
 * Rows that are further ahead than the limit allows are corrected: see `correctAhead` of the queue's own rate.
 *
 * @param lanes at most `MOST_IDS`.
 */
export function* readTenantTokens(
  dialect: Dialect,
  queue: string,
  rate: Rate,
  lanes: readonly number[],
): Operation<TenantTokens> {
  const found = yield* select<AheadRow>(
    sql`SELECT lane, tenant, full_at - ${nowInMicroseconds(dialect)} AS ahead
        FROM ${dialect.tables.tenantRate} ${dialect.byPrimaryKey}
        WHERE queue = ${queue} AND lane IN (${sql.list(lanes)})`,
  );
  const rows = found.map(toTenantAhead);
  const empty = emptyAhead(rate);
  if (rows.some(({ ahead }) => isTooFarAhead(rate, ahead))) {
    const latest = sql`${nowInMicroseconds(dialect)} + ${empty}`;
    yield* change(
      sql`UPDATE ${dialect.tables.tenantRate} ${dialect.byPrimaryKey} SET full_at = ${latest}
          WHERE queue = ${queue} AND lane IN (${sql.list(lanes)}) AND full_at > ${latest}`,
    );
  }
  return new TenantTokens(
    rate,
    rows.map(({ ahead, ...row }) => ({ ...row, ahead: isTooFarAhead(rate, ahead) ? empty : ahead })),
  );
}

/**
 * Takes the tokens of claimed jobs from their tenants: one for each job with a tenant. Part of the claim's transaction,
 * after the jobs are marked as running: see `recordClaimedJobs`.
 *
 * Index: the primary key. Locks: the rows of these tenants, in the order of the key, as the pruner does. A row that the
 * pruner deletes at the same time had all its tokens.
 */
export function* takeTenantTokens(
  dialect: Dialect,
  queue: string,
  rate: Rate,
  jobs: readonly { readonly tenant: string | null }[],
): Operation<void> {
  const starts = new Map<string, number>();
  for (const { tenant } of jobs) {
    if (tenant !== null) {
      starts.set(tenant, (starts.get(tenant) ?? 0) + 1);
    }
  }
  const rows = [...starts].map(([tenant, count]) => ({ lane: laneOf(tenant), tenant, cost: costOf(rate, count) }));
  rows.sort((a, b) => a.lane - b.lane || Buffer.from(a.tenant).compare(Buffer.from(b.tenant)));
  const now = nowInMicroseconds(dialect);
  const fullAt = sql`full_at`;
  for (const chunk of chunksOf(rows, MOST_IDS)) {
    const values = chunk.map(({ lane, tenant, cost }) => sql`(${queue}, ${lane}, ${tenant}, ${now} + ${cost})`);
    yield* change(
      sql`INSERT INTO ${dialect.tables.tenantRate} (queue, lane, tenant, full_at) VALUES ${sql.join(values)}
          ${dialect.onConflictUpdate(sql`queue, lane, tenant`)}
            full_at = CASE WHEN full_at > ${now} THEN full_at - ${now} ELSE 0 END + ${dialect.newValue(fullAt)}`,
    );
  }
}

/** The tenants at their rate, in some lanes. */
export interface LimitedLanes {
  /** In how many ms the first of them in each lane has a token again. */
  readonly lanes: ReadonlyMap<number, number>;
  readonly tenants: ReadonlySet<string>;
}

/**
 * Finds the tenants that are at their rate, in some lanes. Reads only, locks nothing: a claim decides again, under the
 * lock of the queue's row.
 *
 * Index: the primary keys of the queue and of the tenants, one range for each lane, however many jobs wait in it.
 *
 * @param lanes at most `MOST_IDS`.
 */
export function* findLimitedLanes(dialect: Dialect, queue: string, lanes: readonly number[]): Operation<LimitedLanes> {
  const limited = new Map<number, number>();
  const tenants = new Set<string>();
  if (lanes.length === 0) {
    return { lanes: limited, tenants };
  }
  const rows = yield* select<AheadRow & { jobs: unknown; span: unknown; burst: unknown }>(
    sql`SELECT tenant_rate_jobs AS jobs, tenant_rate_window AS span, tenant_rate_burst AS burst, target.lane,
               target.tenant, target.full_at - ${nowInMicroseconds(dialect)} AS ahead
        FROM ${dialect.tables.queue} limits ${dialect.byPrimaryKey}
        ${dialect.joinInOrder} ${dialect.tables.tenantRate} target ${dialect.byPrimaryKey}
          ON target.queue = limits.queue AND target.lane IN (${sql.list(lanes)})
        WHERE limits.queue = ${queue} AND tenant_rate_jobs IS NOT NULL`,
  );
  for (const row of rows) {
    const rate = toRate({ jobs: row.jobs, window: row.span, burst: row.burst }) as Rate;
    const { lane, tenant, ahead } = toTenantAhead(row);
    // Rows that are further ahead are corrected by the next claim.
    if (tokensAt(rate, ahead) === 0 && !isTooFarAhead(rate, ahead)) {
      limited.set(lane, Math.min(limited.get(lane) ?? Infinity, retryIn(rate, ahead)));
      tenants.add(tenant);
    }
  }
  return { lanes: limited, tenants };
}

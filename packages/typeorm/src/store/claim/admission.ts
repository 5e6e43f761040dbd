import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { toRate } from '../base/queue-settings.js';
import { type Rate, costOf, emptyAhead, isTooFarAhead, nowInMicroseconds, retryIn, tokensAt } from '../base/rate.js';
import type { Admission, Claim, ClaimRequest, TakenJobs } from './claim-strategy.js';

/** An admission with the limits of each tenant. */
export interface LimitedAdmission extends Admission {
  /** How many jobs of each tenant may run; null without a limit. */
  readonly perTenant: number | null;
  /** How many jobs of each tenant may start; null without a limit. */
  readonly tenantRate: Rate | null;
  /** The rate of the queue; null without one. */
  readonly rate: Rate | null;
}

/** The admission of a queue without limits. */
export function admitAll({ limit }: { readonly limit: number }): LimitedAdmission {
  return { admitted: limit, retryIn: undefined, perTenant: null, tenantRate: null, rate: null };
}

type LimitColumns = Record<
  | 'concurrency'
  | 'tenant_concurrency'
  | `rate_${'jobs' | 'window' | 'burst' | 'ahead'}`
  | `tenant_rate_${'jobs' | 'window' | 'burst'}`,
  unknown
>;

/**
 * Applies the limits of a queue: how many jobs a claim may take. Part of the claim's transaction, before its SELECT.
 *
 * Locks the queue's row until the transaction ends. So the claims of a limited queue run one after the other, and the
 * counts of running jobs and of tokens are exact. Enqueuing and completing jobs does not touch the row. See
 * docs/decisions/0039.
 *
 * Index: the queue's primary key, then the lanes of the running jobs, never more than the limit. The time was read
 * before the statement waited for the row, so it is perhaps early, and there are rather too few tokens.
 */
export function* admitClaim(dialect: Dialect, queue: string, wanted: number): Operation<LimitedAdmission> {
  const [limits] = yield* select<LimitColumns>(
    sql`SELECT concurrency, tenant_concurrency, rate_jobs, rate_window, rate_burst,
               rate_full_at - ${nowInMicroseconds(dialect)} AS rate_ahead,
               tenant_rate_jobs, tenant_rate_window, tenant_rate_burst
        FROM ${dialect.tables.queue} WHERE queue = ${queue} ${dialect.forUpdate}`,
  );
  if (!limits) {
    return admitAll({ limit: wanted });
  }
  const rate = toRate({ jobs: limits.rate_jobs, window: limits.rate_window, burst: limits.rate_burst });
  const ahead = rate ? yield* correctAhead(dialect, queue, rate, Number(limits.rate_ahead)) : 0;
  const bySlots =
    limits.concurrency === null ? Infinity : Number(limits.concurrency) - (yield* countRunning(dialect, queue));
  const byRate = rate ? tokensAt(rate, ahead) : Infinity;
  const admitted = Math.max(0, Math.min(wanted, bySlots, byRate));
  const isRateFull = rate && admitted < wanted && byRate <= bySlots;
  return {
    admitted,
    retryIn: isRateFull
      ? retryIn(rate, Math.max(0, ahead) + costOf(rate, admitted), Math.min(wanted, bySlots) - admitted)
      : undefined,
    perTenant: limits.tenant_concurrency === null ? null : Number(limits.tenant_concurrency),
    tenantRate: toRate({
      jobs: limits.tenant_rate_jobs,
      window: limits.tenant_rate_window,
      burst: limits.tenant_rate_burst,
    }),
    rate,
  };
}

/** What a claim takes that may take none. */
export const NO_JOBS: TakenJobs = { jobs: [], expired: [] };

/**
 * How far ahead the rate's `full_at` is. If that is too far, all tokens count as used now. A clock that was set back,
 * or a lower limit, must neither stop the queue nor grant a second burst.
 */
function* correctAhead(dialect: Dialect, queue: string, rate: Rate, ahead: number): Operation<number> {
  if (!isTooFarAhead(rate, ahead)) {
    return ahead;
  }
  const empty = emptyAhead(rate);
  const latest = sql`${nowInMicroseconds(dialect)} + ${empty}`;
  yield* change(
    sql`UPDATE ${dialect.tables.queue} SET rate_full_at = ${latest} WHERE queue = ${queue} AND rate_full_at > ${latest}`,
  );
  return empty;
}

/** Claims as many jobs as the limits of the queue admit. Part of the claim's transaction. */
export function* claimAdmitted(
  dialect: Dialect,
  request: ClaimRequest,
  take: (limit: number) => Operation<TakenJobs>,
): Operation<Claim> {
  if (!request.isLimited) {
    return { ...admitAll(request), ...(yield* take(request.limit)) };
  }
  const admission = yield* admitClaim(dialect, request.queue, request.limit);
  const taken = admission.admitted > 0 ? yield* take(admission.admitted) : NO_JOBS;
  if (taken.jobs.length > 0) {
    yield* recordClaimedJobs(dialect, request.queue, admission.rate, taken.jobs.length);
  }
  return { ...admission, ...taken };
}

/**
 * Takes the tokens of claimed jobs from the queue's rate, in the claim's transaction. It follows the mark of the jobs
 * as running: their `claimed_at` must not be later than the time from which the tokens come back.
 *
 * It changes the row of a queue without a rate too, and keeps what the bucket has left in case the rate comes back. On
 * Galera a lock on a row is not replicated, and two claims could each take all admitted jobs. Of two transactions that
 * change the row, one is rolled back. See docs/decisions/0040.
 */
export function* recordClaimedJobs(dialect: Dialect, queue: string, rate: Rate | null, jobs: number): Operation<void> {
  const now = nowInMicroseconds(dialect);
  const fullAt = rate
    ? sql`CASE WHEN rate_full_at > ${now} THEN rate_full_at ELSE ${now} END + ${costOf(rate, jobs)}`
    : sql`CASE WHEN rate_full_at > ${now} THEN rate_full_at + 1 WHEN rate_full_at = 0 THEN 1 ELSE 0 END`;
  yield* change(sql`UPDATE ${dialect.tables.queue} SET rate_full_at = ${fullAt} WHERE queue = ${queue}`);
}

/** How many jobs of a queue run: never many, because of the limit. Reads index entries only. */
function* countRunning({ tables, byLane }: Dialect, queue: string): Operation<number> {
  const [row] = yield* select<{ jobs: number | string }>(
    sql`SELECT COUNT(*) AS jobs FROM ${tables.job} ${byLane} WHERE queue = ${queue} AND state = 'running'`,
  );
  return Number(row?.jobs);
}

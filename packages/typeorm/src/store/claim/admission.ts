import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { Admission, Claim, ClaimRequest, TakenJobs } from './claim-strategy.js';

/** An admission with the limit of each tenant. */
interface LimitedAdmission extends Admission {
  /** How many jobs of each tenant may run; null without a limit. */
  readonly perTenant: number | null;
}

/** The admission of a queue without limits. */
export function admitAll({ limit }: { readonly limit: number }): LimitedAdmission {
  return { admitted: limit, retryIn: undefined, perTenant: null };
}

interface Limits {
  readonly concurrency: number | string | null;
  readonly tenant_concurrency: number | string | null;
  readonly rate_jobs: number | string | null;
  readonly rate_left: number | string;
  readonly window_jobs: number | string;
}

/**
 * Applies the limits of a queue: how many jobs a claim may take. Part of the claim's transaction, before its SELECT.
 *
 * Locks the queue's row until the transaction ends. So the claims of a limited queue run one after the other, and the
 * count of running jobs is exact. Enqueuing and completing jobs does not touch the row. See docs/decisions/0039.
 *
 * Index: the queue's primary key, then the lanes of the running jobs, never more than the limit. The rate counts claims
 * in windows; each starts with its first job.
 */
export function* admitClaim(dialect: Dialect, queue: string, wanted: number): Operation<LimitedAdmission> {
  const { tables, now } = dialect;
  const [limits] = yield* select<Limits>(
    sql`SELECT concurrency, tenant_concurrency, rate_jobs, window_jobs,
               CASE WHEN ${isWindowOver(dialect)} THEN 0 ELSE window_started_at + rate_window - ${now} END AS rate_left
        FROM ${tables.queue} WHERE queue = ${queue} ${dialect.forUpdate}`,
  );
  if (!limits) {
    return admitAll({ limit: wanted });
  }
  const bySlots =
    limits.concurrency === null ? Infinity : Number(limits.concurrency) - (yield* countRunning(dialect, queue));
  const windowIsOpen = Number(limits.rate_left) > 0;
  const byRate =
    limits.rate_jobs === null ? Infinity : Number(limits.rate_jobs) - (windowIsOpen ? Number(limits.window_jobs) : 0);
  const admitted = Math.max(0, Math.min(wanted, bySlots, byRate));
  const isRateFull = admitted < wanted && byRate <= bySlots;
  return {
    admitted,
    retryIn: isRateFull ? (windowIsOpen ? Number(limits.rate_left) : 0) : undefined,
    perTenant: limits.tenant_concurrency === null ? null : Number(limits.tenant_concurrency),
  };
}

/** What a claim takes that may take none. */
export const NO_JOBS: TakenJobs = { jobs: [], expired: [] };

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
    yield* recordClaimedJobs(dialect, request.queue, taken.jobs.length);
  }
  return { ...admission, ...taken };
}

/**
 * Adds claimed jobs to the queue's rate, in the claim's transaction. It changes the row of a queue without a rate too.
 * On Galera a lock on a row is not replicated, and two claims could each take all admitted jobs. Of two transactions
 * that change the row, one is rolled back. See docs/decisions/0040.
 */
export function* recordClaimedJobs(dialect: Dialect, queue: string, jobs: number): Operation<void> {
  const { tables, now } = dialect;
  const isOver = isWindowOver(dialect);
  yield* change(
    // MySQL assigns from left to right: the condition must be the same for both. Without a rate `window_jobs`
    // alternates.
    sql`UPDATE ${tables.queue}
        SET window_jobs = CASE WHEN rate_jobs IS NULL THEN window_jobs = 0
                               WHEN ${isOver} THEN ${jobs}
                               ELSE window_jobs + ${jobs} END,
            window_started_at = CASE WHEN ${isOver} THEN ${now} ELSE window_started_at END
        WHERE queue = ${queue}`,
  );
}

/**
 * Whether the rate starts a new window. A start that is further ahead than a window was stored while the clock was
 * ahead; a smaller difference may be that of two nodes of a cluster.
 */
function isWindowOver({ now }: Dialect): Fragment {
  return sql`(window_started_at + rate_window <= ${now} OR window_started_at > ${now} + rate_window)`;
}

/** How many jobs of a queue run: never many, because of the limit. Reads index entries only. */
function* countRunning({ tables, byLane }: Dialect, queue: string): Operation<number> {
  const [row] = yield* select<{ jobs: number | string }>(
    sql`SELECT COUNT(*) AS jobs FROM ${tables.job} ${byLane} WHERE queue = ${queue} AND state = 'running'`,
  );
  return Number(row?.jobs);
}

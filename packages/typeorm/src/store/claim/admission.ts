import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import type { Claim, ClaimRequest } from './claim-strategy.js';

/** How many jobs a claim may take from a queue with limits. */
export interface Admission {
  readonly admitted: number;
  /** Where it is fewer than were asked for: after how many ms it may be more. Undefined where jobs have to end first. */
  readonly retryIn: number | undefined;
}

/** What the limits of a queue say to a claim. */
interface Admitted extends Admission {
  /** How many jobs of each tenant may run; null for no limit. */
  readonly perTenant: number | null;
}

/** Of a queue without limits. */
export function everything({ limit }: { readonly limit: number }): Admitted {
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
 * Asks the limits of a queue how many jobs a claim may take. Part of the claim's transaction, before its SELECT.
 *
 * Locks the queue's row until that transaction ends, so the claims of a limited queue come one after the other, and the
 * running jobs it counts are all there are: those of claims before are committed, and others wait. Only claims do so,
 * not jobs: neither enqueuing nor finishing one touches the row, and where a claim dies its lock dies with it.
 *
 * Nothing is counted up or down that could get out of step: what runs is counted along the lanes, an index range that is
 * never longer than the limit. The rate counts claims in windows, of which each begins with its first job.
 */
export function* admit(dialect: Dialect, queue: string, wanted: number): Operation<Admitted> {
  const { tables, now } = dialect;
  const [limits] = yield* select<Limits>(
    `SELECT concurrency, tenant_concurrency, rate_jobs, window_started_at + rate_window - ${now} AS rate_left, window_jobs
     FROM ${tables.queue} WHERE queue = ? ${dialect.forUpdate}`,
    [queue],
  );
  if (!limits) {
    return everything({ limit: wanted });
  }
  const bySlots =
    limits.concurrency === null ? Infinity : Number(limits.concurrency) - (yield* running(dialect, queue));
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

/** Claims as many jobs as the limits of the queue admit, where it has any. Part of the claim's transaction. */
export function* claimAdmitted(
  dialect: Dialect,
  request: ClaimRequest,
  take: (limit: number) => Operation<readonly ClaimedJob[]>,
): Operation<Claim> {
  if (!request.isLimited) {
    return { ...everything(request), jobs: yield* take(request.limit) };
  }
  const admission = yield* admit(dialect, request.queue, request.limit);
  const jobs = admission.admitted > 0 ? yield* take(admission.admitted) : [];
  if (jobs.length > 0) {
    yield* charge(dialect, request.queue, jobs.length);
  }
  return { ...admission, jobs };
}

/**
 * Charges the jobs a claim has taken to the queue's rate, in the same transaction. Where it has none the row is changed
 * too: on Galera, and behind a failover, nobody hears of a row that was only locked, and two claims would each take what
 * one may have. One of two that have changed it is rolled back.
 */
export function* charge(dialect: Dialect, queue: string, jobs: number): Operation<void> {
  const { tables, now } = dialect;
  const isOver = `window_started_at + rate_window <= ${now}`;
  yield* change(
    // MySQL assigns from left to right: the condition has to be the same for both. Without a rate there is no window.
    `UPDATE ${tables.queue}
     SET window_jobs = CASE WHEN rate_jobs IS NULL THEN window_jobs = 0 WHEN ${isOver} THEN ? ELSE window_jobs + ? END,
         window_started_at = CASE WHEN ${isOver} THEN ${now} ELSE window_started_at END
     WHERE queue = ?`,
    [jobs, jobs, queue],
  );
}

/** How many jobs of a queue run. The limit was kept before, so there are never many; index entries only. */
function* running({ tables, byLane }: Dialect, queue: string): Operation<number> {
  const [row] = yield* select<{ jobs: number | string }>(
    `SELECT COUNT(*) AS jobs FROM ${tables.job} ${byLane} WHERE queue = ? AND state = 'running'`,
    [queue],
  );
  return Number(row?.jobs);
}

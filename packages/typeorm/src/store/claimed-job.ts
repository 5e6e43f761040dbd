import type { Row } from '../engine/operation.js';

/** The three values every transition of a running job is fenced by. */
export interface Fence {
  readonly id: Buffer;
  readonly owner: number;
  readonly attempt: number;
}

/** A job as a claim returns it. Times are in ms by the database's clock. */
export interface ClaimedJob extends Fence {
  readonly queue: string;
  readonly name: string;
  readonly key: string | null;
  /** JSON text; null for a job without a payload. */
  readonly payload: string | null;
  readonly priority: number;
  readonly failures: number;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly runAt: number;
  readonly claimedAt: number;
}

/** The columns a claim reads. */
export const CLAIMED_COLUMNS =
  'id, owner, attempt, queue, name, job_key, payload, priority, failures, last_error, created_at, run_at, claimed_at';

/** Reads a row with `CLAIMED_COLUMNS`. Drivers hand a BIGINT over as a string or a number. */
export function toClaimedJob(row: Row): ClaimedJob {
  return {
    id: row.id as Buffer,
    owner: Number(row.owner),
    attempt: Number(row.attempt),
    queue: row.queue as string,
    name: row.name as string,
    key: row.job_key as string | null,
    payload: row.payload as string | null,
    priority: Number(row.priority),
    failures: Number(row.failures),
    lastError: row.last_error as string | null,
    createdAt: Number(row.created_at),
    runAt: Number(row.run_at),
    claimedAt: Number(row.claimed_at),
  };
}

/** The order jobs of one claim are started in. */
export function byTurn(a: ClaimedJob, b: ClaimedJob): number {
  return a.priority - b.priority || a.runAt - b.runAt || Buffer.compare(a.id, b.id);
}

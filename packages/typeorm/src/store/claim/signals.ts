import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type MissingWorkers, selectMissingWorkers } from '../base/locks/missing-workers.js';

/** How workers claim from a queue. */
export type QueueMode =
  /** Without limits. */
  | 'open'
  /** Each claim applies the queue's limits: see `admitClaim`. */
  | 'limited'
  /** No jobs are claimed. */
  | 'paused';

/** Control signals for workers: pause and limits, cancellations, missing workers. */
export interface Signals {
  /** Queues that are not listed are open. */
  readonly modes: ReadonlyMap<string, QueueMode>;
  /** Running jobs, of any worker, whose cancellation was requested. */
  readonly cancelled: readonly Buffer[];
  /** Missing workers; undefined if not requested. */
  readonly workers: MissingWorkers | undefined;
}

/** A row of a poll, or of a SELECT of signals. */
export interface PollRow {
  readonly request: number | string;
  readonly kind: string;
  readonly place: number | string;
  readonly id: Buffer | null;
}

/** How many requests to cancel are read: each row is deleted within seconds, so there are rarely more. */
const MOST_CANCELLATIONS = 10_000;

/**
 * The SELECT of the signals for workers of some queues, with the columns of a poll.
 *
 * @param withMissing whether to find missing workers too.
 */
export function selectSignals(dialect: Dialect, queues: readonly string[], withMissing: boolean): Fragment {
  const { tables } = dialect;
  return sql`
          SELECT queue AS request,
                 CASE WHEN paused_at IS NOT NULL THEN 'paused'
                      WHEN concurrency IS NULL AND tenant_concurrency IS NULL AND rate_jobs IS NULL
                           AND tenant_rate_jobs IS NULL THEN 'open'
                      ELSE 'limited' END AS kind,
                 0 AS place, NULL AS id
          FROM ${tables.queue} WHERE queue IN (${sql.list(queues)})
          UNION ALL
          SELECT * FROM (
            SELECT '' AS request, 'cancelled' AS kind, 0 AS place, job_id AS id
            FROM ${tables.cancellation} ORDER BY job_id LIMIT ${sql.integer(MOST_CANCELLATIONS)}
          ) cancellations
          ${withMissing ? sql`UNION ALL ${selectMissingWorkers(dialect)}` : sql.empty}`;
}

/** The signals among the rows of a poll. */
export function signalsIn(rows: readonly PollRow[]): Signals {
  const modes = new Map<string, QueueMode>();
  const cancelled: Buffer[] = [];
  const missing: number[] = [];
  let watched: number | undefined;
  for (const { request, kind, place, id } of rows) {
    if (kind === 'cancelled') {
      cancelled.push(id as Buffer);
    } else if (kind === 'open' || kind === 'limited' || kind === 'paused') {
      modes.set(String(request), kind);
    } else if (kind === 'missing') {
      missing.push(Number(request));
    } else if (kind === 'watched') {
      watched = Number(place);
    }
  }
  return { modes, cancelled, workers: watched === undefined ? undefined : { watched, missing } };
}

/** Reads signals only. Index: two primary keys, of tables that are usually empty. Locks nothing. */
export function* findSignals(dialect: Dialect, queues: readonly string[], withMissing: boolean): Operation<Signals> {
  return signalsIn(yield* select<PollRow>(selectSignals(dialect, queues, withMissing)));
}

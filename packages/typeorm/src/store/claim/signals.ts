import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Statement, placeholders, select } from '../../engine/operation.js';
import { type MissingWorkers, selectMissingWorkers } from '../workers/missing-workers.js';

/** What workers have to know of a queue before they claim from it. */
export type QueueMode =
  /** Jobs are claimed as they come. */
  | 'open'
  /** Each claim has to ask how many jobs it may take: see `store/claim/admission.ts`. */
  | 'limited'
  /** Nothing is claimed. */
  | 'paused';

/** What somebody wants of the workers. */
export interface Signals {
  /** Queues that are not listed are open. */
  readonly modes: ReadonlyMap<string, QueueMode>;
  /** Running jobs, of any worker, that are to end. */
  readonly cancelled: readonly Buffer[];
  /** Workers that may have died; undefined where nobody asked. */
  readonly silence: MissingWorkers | undefined;
}

/** A row of the statements that look: for jobs, for signals, or for both. */
export interface LookRow {
  readonly request: number | string;
  readonly kind: string;
  readonly place: number | string;
  readonly id: Buffer | null;
}

/** How many requests to cancel a look reads: each row is gone within seconds, so there are more only for a moment. */
const MOST_CANCELLATIONS = 10_000;

/**
 * The SELECT of the signals for workers of some queues, as a part of a statement that looks.
 *
 * @param watches whether to ask for workers that may have died.
 */
export function selectSignals(dialect: Dialect, queues: readonly string[], watches: boolean): Statement {
  const { tables } = dialect;
  return {
    sql: `SELECT queue AS request,
                 CASE WHEN paused_at IS NOT NULL THEN 'paused'
                      WHEN concurrency IS NULL AND tenant_concurrency IS NULL AND rate_jobs IS NULL THEN 'open'
                      ELSE 'limited' END AS kind,
                 0 AS place, NULL AS id
          FROM ${tables.queue} WHERE queue IN (${placeholders(queues)})
          UNION ALL
          SELECT * FROM (
            SELECT '' AS request, 'cancelled' AS kind, 0 AS place, job_id AS id
            FROM ${tables.cancellation} ORDER BY job_id LIMIT ${MOST_CANCELLATIONS}
          ) cancellations
          ${watches ? `UNION ALL ${selectMissingWorkers(dialect)}` : ''}`,
    parameters: queues,
  };
}

/** The signals among the rows of such a statement. */
export function signalsIn(rows: readonly LookRow[]): Signals {
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
  return { modes, cancelled, silence: watched === undefined ? undefined : { watched, missing } };
}

/** Looks for signals only. Index: two primary keys, on tables that are empty as a rule. Locks nothing. */
export function* lookForSignals(dialect: Dialect, queues: readonly string[], watches: boolean): Operation<Signals> {
  const { sql, parameters } = selectSignals(dialect, queues, watches);
  return signalsIn(yield* select<LookRow>(sql, parameters));
}

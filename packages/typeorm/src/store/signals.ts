import type { Dialect } from '../engine/dialect.js';
import { type Operation, type Statement, placeholders, select } from '../engine/operation.js';

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
}

/** A row of the statements that look: for jobs, for signals, or for both. */
export interface LookRow {
  readonly request: number | string;
  readonly kind: string;
  readonly place: number | string;
  readonly id: Buffer | null;
}

/** How many requests to cancel a look reads: each row is gone within seconds, so there are more only for a moment. */
const MOST_CANCELLATIONS = 1_000;

/** The SELECT of the signals for workers of some queues, as a part of a statement that looks. */
export function selectSignals({ tables }: Dialect, queues: readonly string[]): Statement {
  return {
    sql: `SELECT queue AS request,
                 CASE WHEN paused_at IS NOT NULL THEN 'paused'
                      WHEN concurrency IS NULL AND rate_jobs IS NULL THEN 'open'
                      ELSE 'limited' END AS kind,
                 0 AS place, NULL AS id
          FROM ${tables.queue} WHERE queue IN (${placeholders(queues)})
          UNION ALL
          SELECT * FROM (
            SELECT '' AS request, 'cancelled' AS kind, 0 AS place, job_id AS id
            FROM ${tables.cancellation} ORDER BY job_id LIMIT ${MOST_CANCELLATIONS}
          ) cancellations`,
    parameters: queues,
  };
}

/** The signals among the rows of such a statement. */
export function signalsIn(rows: readonly LookRow[]): Signals {
  const modes = new Map<string, QueueMode>();
  const cancelled: Buffer[] = [];
  for (const { request, kind, id } of rows) {
    if (kind === 'cancelled') {
      cancelled.push(id as Buffer);
    } else if (kind === 'open' || kind === 'limited' || kind === 'paused') {
      modes.set(String(request), kind);
    }
  }
  return { modes, cancelled };
}

/** Looks for signals only. Index: two primary keys, on tables that are empty as a rule. Locks nothing. */
export function* lookForSignals(dialect: Dialect, queues: readonly string[]): Operation<Signals> {
  const { sql, parameters } = selectSignals(dialect, queues);
  return signalsIn(yield* select<LookRow>(sql, parameters));
}

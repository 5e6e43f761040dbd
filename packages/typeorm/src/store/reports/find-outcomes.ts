import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { Outcome } from '../../tables/history.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';

export interface JobOutcome {
  readonly id: string;
  readonly state: Outcome;
  /** JSON text, or null. */
  readonly result: string | null;
  readonly error: string | null;
}

/** The outcomes of some jobs. A job in neither list is in neither table: not stored yet, or deleted. */
export interface JobOutcomes {
  readonly ended: readonly JobOutcome[];
  /** The ids of unfinished jobs. */
  readonly live: readonly string[];
}

/**
 * Finds the outcomes of some jobs.
 *
 * One statement for both tables, so one view of both: a job that finishes meanwhile is in one of them. Index: the
 * primary keys. Locks nothing.
 */
export function* findOutcomes({ tables }: Dialect, ids: readonly Buffer[]): Operation<JobOutcomes> {
  const ended: JobOutcome[] = [];
  const live: string[] = [];
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const isAsked = sql`id IN (${sql.list(chunk)})`;
    const rows = yield* select<Omit<JobOutcome, 'id' | 'state'> & { id: Buffer; state: Outcome | 'live' }>(
      sql`SELECT id, 'live' AS state, NULL AS result, NULL AS error FROM ${tables.job} WHERE ${isAsked}
          UNION ALL SELECT id, state, result, error FROM ${tables.history} WHERE ${isAsked}`,
    );
    for (const { id: bytes, state, result, error } of rows) {
      const id = uuidFromBytes(bytes);
      if (state === 'live') {
        live.push(id);
      } else {
        ended.push({ id, state, result, error });
      }
    }
  }
  return { ended, live };
}

import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, placeholders, select } from '../../engine/operation.js';
import type { Outcome } from '../../tables/history.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';

/** How a job has ended. */
export interface JobOutcome {
  readonly id: string;
  readonly state: Outcome;
  /** JSON text, or null. */
  readonly result: string | null;
  readonly error: string | null;
}

/** What is known of some jobs. */
export interface JobOutcomes {
  readonly ended: readonly JobOutcome[];
  /** The ids of those that have not ended. */
  readonly live: readonly string[];
}

/**
 * Tells which of some jobs have ended, and how. Those in neither list are in neither table: not stored yet, or gone.
 *
 * One statement for both tables, so one view of both: a job that moves from one to the other meanwhile is in one of them.
 * Index: the primary keys. Reads only, locks nothing.
 */
export function* findOutcomes({ tables }: Dialect, ids: readonly Buffer[]): Operation<JobOutcomes> {
  const ended: JobOutcome[] = [];
  const live: string[] = [];
  for (const part of chunksOf(ids, MOST_IDS)) {
    const where = `WHERE id IN (${placeholders(part)})`;
    const rows = yield* select<Omit<JobOutcome, 'id' | 'state'> & { id: Buffer; state: Outcome | 'live' }>(
      `SELECT id, 'live' AS state, NULL AS result, NULL AS error FROM ${tables.job} ${where}
       UNION ALL SELECT id, state, result, error FROM ${tables.history} ${where}`,
      [...part, ...part],
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

import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type LiveState, type Outcome, isLive } from '../../tables/job.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';

export interface JobOutcome {
  readonly id: string;
  readonly state: Outcome;
  /** JSON text, or null. */
  readonly result: string | null;
  readonly error: string | null;
}

/** The outcomes of some jobs. A job in neither list has no row: it is not stored yet, or was deleted. */
export interface JobOutcomes {
  readonly ended: readonly JobOutcome[];
  /** The ids of unfinished jobs. */
  readonly live: readonly string[];
}

/** Finds the outcomes of some jobs. Index: the primary key. Locks nothing. */
export function* findOutcomes({ tables }: Dialect, ids: readonly Buffer[]): Operation<JobOutcomes> {
  const ended: JobOutcome[] = [];
  const live: string[] = [];
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select<Omit<JobOutcome, 'id' | 'state'> & { id: Buffer; state: LiveState | Outcome }>(
      sql`SELECT id, state, result, last_error AS error FROM ${tables.job} WHERE id IN (${sql.list(chunk)})`,
    );
    for (const { id: bytes, state, result, error } of rows) {
      const id = uuidFromBytes(bytes);
      if (isLive(state)) {
        live.push(id);
      } else {
        ended.push({ id, state, result, error });
      }
    }
  }
  return { ended, live };
}

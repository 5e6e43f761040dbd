import { uuidFromBytes } from '../definition/job-id.js';
import type { Dialect } from '../engine/dialect.js';
import { type Operation, placeholders, select } from '../engine/operation.js';
import type { Outcome } from '../tables/history.js';
import { MOST_IDS, inParts } from './in-parts.js';

/** How a job has ended. */
export interface Ending {
  readonly id: string;
  readonly state: Outcome;
  /** JSON text, or null. */
  readonly result: string | null;
  readonly error: string | null;
}

/** Those of some jobs that have ended. Index: the primary key of the history. Reads only, locks nothing. */
export function* findEndings({ tables }: Dialect, ids: readonly Buffer[]): Operation<Ending[]> {
  const endings: Ending[] = [];
  for (const part of inParts(ids, MOST_IDS)) {
    const rows = yield* select<Omit<Ending, 'id'> & { id: Buffer }>(
      `SELECT id, state, result, error FROM ${tables.history} WHERE id IN (${placeholders(part)})`,
      part,
    );
    endings.push(...rows.map((row) => ({ ...row, id: uuidFromBytes(row.id) })));
  }
  return endings;
}

import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import type { Outcome } from '../../../tables/history.js';
import type { ClaimedJob } from './claimed-job.js';
import { MOST_IDS, chunksOf } from '../chunks.js';

/** A job's row in the history, without `finished_at`, which the database sets. */
export interface HistoryEntry extends ClaimedJob {
  readonly state: Outcome;
  readonly claimedAt: number | null;
  /** JSON text, or null. */
  readonly result: string | null;
  readonly error: string | null;
  /** JSON text, or null. */
  readonly progress: string | null;
}

/** The columns and their properties. The database sets `finished_at`. */
const COLUMNS: readonly (readonly [column: Fragment, property: keyof HistoryEntry])[] = [
  [sql`id`, 'id'],
  [sql`queue`, 'queue'],
  [sql`state`, 'state'],
  [sql`owner`, 'owner'],
  [sql`name`, 'name'],
  [sql`job_key`, 'key'],
  [sql`payload`, 'payload'],
  [sql`payload_version`, 'payloadVersion'],
  [sql`priority`, 'priority'],
  [sql`attempt`, 'attempt'],
  [sql`failures`, 'failures'],
  [sql`result`, 'result'],
  [sql`error`, 'error'],
  [sql`progress`, 'progress'],
  [sql`tenant`, 'tenant'],
  [sql`trace`, 'trace'],
  [sql`created_at`, 'createdAt'],
  [sql`run_at`, 'runAt'],
  [sql`claimed_at`, 'claimedAt'],
];

function textLength({ payload, result, error, progress }: HistoryEntry): number {
  return [payload, result, error, progress].reduce((length, text) => length + (text?.length ?? 0), 0);
}

/** Adds finished jobs to the history. Only inside the transaction that deletes them from the live table. */
export function* writeHistory(dialect: Dialect, entries: readonly HistoryEntry[]): Operation<void> {
  const columns = sql.join(COLUMNS.map(([column]) => column));
  const row = sql`(${sql.openList(COLUMNS.length)}, ${dialect.now})`;
  for (const chunk of chunksOf(entries, MOST_IDS, textLength)) {
    const parameters = chunk.flatMap((entry) => COLUMNS.map(([, property]) => entry[property]));
    const rows = sql.rows(
      chunk.map(() => row),
      parameters,
    );
    yield* change(sql`INSERT INTO ${dialect.tables.history} (${columns}, finished_at) VALUES ${rows}`);
  }
}

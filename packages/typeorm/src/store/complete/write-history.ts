import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import type { Outcome } from '../../tables/history.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';

/** A job's row in the history, but for the time, which is the database's. */
export interface HistoryEntry extends ClaimedJob {
  readonly state: Outcome;
  readonly claimedAt: number | null;
  /** JSON text, or null. */
  readonly result: string | null;
  readonly error: string | null;
  /** JSON text, or null. */
  readonly progress: string | null;
}

/** The columns and the property each is filled from. `finished_at` is filled by the database. */
const COLUMNS: readonly (readonly [column: string, property: keyof HistoryEntry])[] = [
  ['id', 'id'],
  ['queue', 'queue'],
  ['state', 'state'],
  ['owner', 'owner'],
  ['name', 'name'],
  ['job_key', 'key'],
  ['payload', 'payload'],
  ['payload_version', 'payloadVersion'],
  ['priority', 'priority'],
  ['attempt', 'attempt'],
  ['failures', 'failures'],
  ['result', 'result'],
  ['error', 'error'],
  ['progress', 'progress'],
  ['tenant', 'tenant'],
  ['trace', 'trace'],
  ['created_at', 'createdAt'],
  ['run_at', 'runAt'],
  ['claimed_at', 'claimedAt'],
];

function textLength({ payload, result, error, progress }: HistoryEntry): number {
  return [payload, result, error, progress].reduce((length, text) => length + (text?.length ?? 0), 0);
}

/** Adds finished jobs to the history. Only inside the transaction that deletes them from the live table. */
export function* writeHistory(dialect: Dialect, entries: readonly HistoryEntry[]): Operation<void> {
  const columns = COLUMNS.map(([column]) => column).join(', ');
  const row = `(${COLUMNS.map(() => '?').join(', ')}, ${dialect.now})`;
  for (const part of chunksOf(entries, MOST_IDS, textLength)) {
    yield* change(
      `INSERT INTO ${dialect.tables.history} (${columns}, finished_at) VALUES ${part.map(() => row).join(', ')}`,
      part.flatMap((entry) => COLUMNS.map(([, property]) => entry[property])),
    );
  }
}

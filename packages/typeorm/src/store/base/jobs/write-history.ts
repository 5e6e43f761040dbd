import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import type { Outcome } from '../../../tables/history.js';
import type { ClaimedJob } from './claimed-job.js';
import { MOST_IDS, type Measure, chunksBySize } from '../chunks.js';

/** A job's row in the history, without `finished_at`, which the database sets. */
export interface HistoryEntry extends ClaimedJob {
  readonly state: Outcome;
  /** The unique key that a retry takes again. */
  readonly uniqueKey: string | null;
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
  [sql`unique_key`, 'uniqueKey'],
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

const PAYLOAD = COLUMNS.findIndex(([, property]) => property === 'payload');

/** The server copies payloads of more characters than a packet has bytes, divided by this. */
const COPIED_FROM = 64;

/** What a row takes beside its texts. */
const ROW_BYTES = 500;

/**
 * Adds finished jobs to the history. Only inside the transaction that deletes them from the live table afterwards: the
 * server copies large payloads from there. With its result and its error, a payload that was stored may be too large
 * for one statement.
 */
export function* writeHistory(dialect: Dialect, entries: readonly HistoryEntry[]): Operation<void> {
  const { tables, now, packetBytes } = dialect;
  const columns = sql.join(COLUMNS.map(([column]) => column));
  const sent = sql`(${sql.openList(COLUMNS.length)}, ${now})`;
  const [before, after] = [sql.openList(PAYLOAD), sql.openList(COLUMNS.length - PAYLOAD - 1)];
  const copied = sql`(${before}, (SELECT payload FROM ${tables.job} WHERE id = ${sql.open}), ${after}, ${now})`;
  const isCopied = ({ payload }: HistoryEntry) => payload !== null && payload.length > packetBytes / COPIED_FROM;
  const bytesOf = (entry: HistoryEntry, measure: Measure) =>
    [
      isCopied(entry) ? null : entry.payload,
      entry.result,
      entry.error,
      entry.progress,
      entry.key,
      entry.uniqueKey,
      entry.tenant,
    ].reduce((bytes, text) => bytes + measure(text), ROW_BYTES);
  for (const chunk of chunksBySize(dialect, entries, MOST_IDS, bytesOf)) {
    const parameters = chunk.flatMap((entry) =>
      COLUMNS.map(([, property]) => entry[property === 'payload' && isCopied(entry) ? 'id' : property]),
    );
    const rows = sql.rows(
      chunk.map((entry) => (isCopied(entry) ? copied : sent)),
      parameters,
    );
    yield* change(sql`INSERT INTO ${tables.history} (${columns}, finished_at) VALUES ${rows}`);
  }
}

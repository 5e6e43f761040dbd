import { readEncoded, writeEncoded } from '../../codec/encoded-text.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { LiveState, Outcome } from '../../tables/job.js';
import { type SearchChunk, type SearchField, type SearchText, byIdDescending } from './search-text.js';

/** Which of the jobs are searched, and for how long. */
export interface ChunkRange {
  /** Only jobs with lower ids. */
  readonly before: Buffer;
  /** How many jobs are examined at most. */
  readonly most: number;
  /** The ids of codecs that are known to have encoded values. */
  readonly codecs: readonly string[];
  /** How long a statement may run from now on, in whole ms: at least 1. */
  readonly timeLeft: () => number;
}

interface ChunkRow {
  readonly id: Buffer;
  readonly state: LiveState | Outcome;
  readonly field: SearchField | null;
  /** The beginning of a value that a codec has written. */
  readonly encoded: string | null;
}

/** `codec:`, an id of up to 64 characters, and a comma. */
const ENCODED_BEGINNING = sql`1, 71`;
const LAST_ERROR = sql`last_error`;
const PAYLOAD = sql`payload`;
/** More codecs are not named. */
const MOST_CODECS = 10;

/**
 * Searches the next jobs in the order of their creation, the latest first.
 *
 * Index: the primary key, backward from an id: first the bounds, which reads no texts, then one range of it. With a
 * limit, or SQLite reads the whole table for a range that contains most of it. The server ends each statement when its
 * time is over. Locks nothing. See docs/decisions/0146.
 *
 * @returns undefined if the time was over.
 */
export function* searchChunk(
  dialect: Dialect,
  wanted: SearchText,
  range: ChunkRange,
): Operation<SearchChunk | undefined> {
  try {
    return yield* searchNext(dialect, wanted, range);
  } catch (error) {
    if (dialect.isTimeout(error)) {
      return undefined;
    }
    throw error;
  }
}

function* searchNext(
  dialect: Dialect,
  wanted: SearchText,
  { before, most, codecs, timeLeft }: ChunkRange,
): Operation<SearchChunk> {
  const { tables, byPrimaryKey, selectWithin } = dialect;
  const [bounds] = yield* select<{ examined: number | string; lowest: Buffer | null }>(
    selectWithin(
      timeLeft(),
      sql`COUNT(*) AS examined, MIN(id) AS lowest
          FROM (
            SELECT id FROM ${tables.job} ${byPrimaryKey}
            WHERE id < ${before} ORDER BY id DESC LIMIT ${sql.integer(most)}
          ) chunk`,
    ),
  );
  const lowest = bounds?.lowest ?? null;
  if (lowest === null) {
    return { matches: [], end: undefined, examined: 0, codecs: [] };
  }
  const rows = yield* select<ChunkRow>(
    selectWithin(
      timeLeft(),
      sql`id, state, field, encoded
          FROM (
            SELECT id, state, ${fieldOf(wanted)} AS field, ${encodedBy(wanted, codecs)} AS encoded
            FROM ${tables.job} ${byPrimaryKey}
            WHERE id >= ${lowest} AND id < ${before} ORDER BY id DESC LIMIT ${sql.integer(most)}
          ) chunk
          WHERE field IS NOT NULL OR encoded IS NOT NULL`,
    ),
  );
  const examined = Number(bounds?.examined);
  return {
    // Jobs are found by their key in its table.
    matches: rows
      .flatMap(({ id, state, field }) => (field === null || field === 'key' ? [] : { id, state, field }))
      .sort(byIdDescending),
    end: examined === most ? lowest : undefined,
    examined,
    codecs: [...new Set(rows.flatMap(({ encoded }) => (encoded === null ? [] : readEncoded(encoded).codec)))],
  };
}

/** An expression for the field that contains the text; NULL for a job that does not match. */
function fieldOf({ text, isKey, isName, inPayload }: SearchText): Fragment {
  const cases = [
    ...(isKey
      ? [
          sql`WHEN job_key = ${text} THEN 'key'`,
          sql`WHEN unique_key = ${text} THEN 'uniqueKey'`,
          sql`WHEN tenant = ${text} THEN 'tenant'`,
        ]
      : []),
    ...(isName ? [sql`WHEN ${contains(sql`name`, text)} THEN 'name'`] : []),
    sql`WHEN ${contains(LAST_ERROR, text)} AND NOT ${isEncoded(LAST_ERROR)} THEN 'error'`,
    ...inPayload.map((part) => sql`WHEN ${contains(PAYLOAD, part)} AND NOT ${isEncoded(PAYLOAD)} THEN 'payload'`),
  ];
  return sql`CASE ${sql.join(cases, sql` `)} END`;
}

/** An expression for the beginning of a searched value that another codec has written; NULL if there is none. */
function encodedBy({ inPayload }: SearchText, known: readonly string[]): Fragment {
  if (known.length >= MOST_CODECS) {
    return sql`NULL`;
  }
  const cases = [LAST_ERROR, ...(inPayload.length > 0 ? [PAYLOAD] : [])].map((column) => {
    const isOther = known.map((codec) => sql`AND NOT ${startsWith(column, writeEncoded({ codec, text: '' }))}`);
    return sql`WHEN ${isEncoded(column)} ${sql.join(isOther, sql` `)} THEN SUBSTR(${column}, ${ENCODED_BEGINNING})`;
  });
  return sql`CASE ${sql.join(cases, sql` `)} END`;
}

/** Without wildcards, and exact: the columns are compared byte by byte. */
function contains(column: Fragment, text: string): Fragment {
  return sql`INSTR(${column}, ${text}) > 0`;
}

/** Not LIKE, which ignores the case on SQLite. */
function isEncoded(column: Fragment): Fragment {
  return startsWith(column, 'codec:');
}

function startsWith(column: Fragment, text: string): Fragment {
  return sql`(SUBSTR(${column}, 1, ${sql.integer(text.length)}) = ${text})`;
}

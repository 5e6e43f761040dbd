import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { LiveState, Outcome } from '../../tables/job.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import {
  type SearchChunk,
  type SearchField,
  type SearchMatch,
  type SearchText,
  byIdDescending,
} from './search-text.js';

interface StateRow {
  readonly id: Buffer;
  readonly state: LiveState | Outcome | null;
}

/**
 * Finds the job with an id, and the jobs of all definitions that hold a unique key.
 *
 * Index: the primary keys. For unique keys it jumps from name to name, and looks up one row of each. Locks nothing.
 */
export function* searchExactly(dialect: Dialect, { text, id, isKey }: SearchText): Operation<SearchMatch[]> {
  const holders = isKey ? yield* findHolders(dialect, text) : [];
  const rows: StateRow[] = [];
  for (const ids of chunksOf([...holders, ...(id ? [id] : [])], MOST_IDS)) {
    rows.push(
      ...(yield* select<StateRow>(
        sql`SELECT id, state FROM ${dialect.tables.job} ${dialect.byPrimaryKey} WHERE id IN (${sql.list(ids)})`,
      )),
    );
  }
  return matchesOf(rows, (found) => (id?.equals(found) ? 'id' : 'uniqueKey'));
}

function* findHolders(
  { tables, byPrimaryKey, uniqueNames, joinInOrder }: Dialect,
  uniqueKey: string,
): Operation<Buffer[]> {
  const rows = yield* select<{ job_id: Buffer }>(
    sql`SELECT held.job_id FROM (${uniqueNames}) names
        ${joinInOrder} ${tables.unique} held ${byPrimaryKey}
          ON held.name = names.name AND held.unique_key = ${uniqueKey}`,
  );
  return rows.map(({ job_id: id }) => id);
}

/**
 * Finds the next jobs with a key, the highest id first. Index: the primary key of the keys, backward from an id, then
 * that of the jobs. Locks nothing.
 *
 * @param most how many jobs are read.
 */
export function* searchByKey(
  { tables, byPrimaryKey }: Dialect,
  key: string,
  before: Buffer,
  most: number,
): Operation<SearchChunk> {
  const rows = yield* select<StateRow>(
    sql`SELECT entries.id, CASE WHEN job.job_key = ${key} THEN job.state END AS state
        FROM (
          SELECT job_id AS id FROM ${tables.key} ${byPrimaryKey}
          WHERE job_key = ${key} AND job_id < ${before} ORDER BY job_id DESC LIMIT ${sql.integer(most)}
        ) entries
        LEFT JOIN ${tables.job} job ${byPrimaryKey} ON job.id = entries.id`,
  );
  const ids = rows.map(({ id }) => id).sort((a, b) => Buffer.compare(a, b));
  return {
    matches: matchesOf(rows, () => 'key'),
    end: rows.length === most ? ids[0] : undefined,
    examined: rows.length,
    codecs: [],
  };
}

/** The jobs that still exist, in order. */
function matchesOf(rows: readonly StateRow[], fieldOf: (id: Buffer) => SearchField): SearchMatch[] {
  return rows
    .flatMap(({ id, state }) => (state === null ? [] : { id, state, field: fieldOf(id) }))
    .sort(byIdDescending);
}

import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { type Cutoff, ROWS_PER_READ } from './prune-history.js';

/** How many more jobs of each outcome are kept before all older ones exceed the number. */
export type Allowances = ReadonlyMap<Cutoff['state'], number>;

/** The result of counting one chunk of the history, from newer jobs to older ones. */
export interface CountedChunk {
  /** The id of the oldest job to keep, for each outcome whose allowance is used up. */
  readonly oldestKept: ReadonlyMap<Cutoff['state'], Buffer>;
  /** The remaining allowances of the other outcomes. */
  readonly remaining: Allowances;
  /** Where the next chunk begins; undefined after the oldest job. */
  readonly end: Buffer | undefined;
}

/**
 * Counts the jobs of some outcomes among the next rows of the history, from an id towards the oldest.
 *
 * There is no index by outcome, so it reads every row, also those of other outcomes. See docs/decisions/0050 and 0051.
 * Index: the primary key, backward. Locks nothing, so jobs that finish meanwhile can change the count by a few.
 */
export function* countBack(
  { tables, byPrimaryKey }: Dialect,
  allowances: Allowances,
  before: Buffer,
): Operation<CountedChunk> {
  const chunk = sql`(SELECT id, state FROM ${tables.history} ${byPrimaryKey}
                     WHERE id < ${before} ORDER BY id DESC LIMIT ${sql.integer(ROWS_PER_READ)}) chunk`;
  const rows = yield* select<{ state: Cutoff['state']; jobs: number | string; first: Buffer }>(
    sql`SELECT state, COUNT(*) AS jobs, MIN(id) AS first FROM ${chunk} GROUP BY state`,
  );
  const oldestKept = new Map<Cutoff['state'], Buffer>();
  const remaining = new Map(allowances);
  for (const { state, jobs } of rows) {
    const allowance = allowances.get(state) ?? Infinity;
    if (Number(jobs) < allowance) {
      remaining.set(state, allowance - Number(jobs));
      continue;
    }
    remaining.delete(state);
    const [row] = yield* select<{ id: Buffer }>(
      sql`SELECT id FROM ${chunk} WHERE state = ${state} ORDER BY id DESC LIMIT 1 OFFSET ${sql.integer(allowance - 1)}`,
    );
    if (row) {
      oldestKept.set(state, row.id);
    }
  }
  const seen = rows.reduce((sum, { jobs }) => sum + Number(jobs), 0);
  const end = rows.map(({ first }) => first).reduce((a, b) => (Buffer.compare(a, b) < 0 ? a : b), before);
  return { oldestKept, remaining, end: seen === ROWS_PER_READ ? end : undefined };
}

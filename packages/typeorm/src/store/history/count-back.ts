import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Cutoff, ROWS_PER_READ } from './prune-history.js';

/** How many jobs of an outcome are still to be met before those begin that are too many. */
export type Allowances = ReadonlyMap<Cutoff['state'], number>;

/** What was met on the way from the newest job back. */
export interface CountedChunk {
  /** The id of the oldest job that is kept, for each outcome whose allowance has come to its end. */
  readonly oldestKept: ReadonlyMap<Cutoff['state'], Buffer>;
  /** What is left of the others. */
  readonly remaining: Allowances;
  /** The place to go on from; undefined at the oldest job. */
  readonly end: Buffer | undefined;
}

/**
 * Counts the jobs of some outcomes among the next rows of the history, from a place back towards the oldest.
 *
 * There is no index by outcome, so this reads every row it passes, also those of other outcomes: the newest `count` of
 * an outcome cost as much as all the jobs that have been created since the oldest of them. Index: the primary key,
 * backward. Locks nothing, so jobs that end meanwhile may make it a few more or less.
 */
export function* countBack(
  { tables, byPrimaryKey }: Dialect,
  allowances: Allowances,
  before: Buffer,
): Operation<CountedChunk> {
  const part = `(SELECT id, state FROM ${tables.history} ${byPrimaryKey}
                 WHERE id < ? ORDER BY id DESC LIMIT ${ROWS_PER_READ}) part`;
  const rows = yield* select<{ state: Cutoff['state']; jobs: number | string; first: Buffer }>(
    `SELECT state, COUNT(*) AS jobs, MIN(id) AS first FROM ${part} GROUP BY state`,
    [before],
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
      `SELECT id FROM ${part} WHERE state = ? ORDER BY id DESC LIMIT 1 OFFSET ${Math.trunc(allowance) - 1}`,
      [before, state],
    );
    if (row) {
      oldestKept.set(state, row.id);
    }
  }
  const seen = rows.reduce((sum, { jobs }) => sum + Number(jobs), 0);
  const end = rows.map(({ first }) => first).reduce((a, b) => (Buffer.compare(a, b) < 0 ? a : b), before);
  return { oldestKept, remaining, end: seen === ROWS_PER_READ ? end : undefined };
}

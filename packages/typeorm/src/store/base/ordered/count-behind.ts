import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { chunksBySize, mostUnited } from '../chunks.js';
import { type OrderKey, bytesOfKey } from './order-key.js';

/** How many jobs behind a head are counted. */
export const MOST_COUNTED = 1_000;

/**
 * Counts the jobs that wait behind the head of each key, up to `MOST_COUNTED`. Index: the waiting jobs by key. Locks
 * nothing.
 *
 * @param before counts only those with a lower place. Default: all.
 */
export function* countBehind(
  dialect: Dialect,
  keys: readonly OrderKey[],
  before = Number.MAX_SAFE_INTEGER,
): Operation<number[]> {
  const counts: number[] = [];
  for (const chunk of chunksBySize(dialect, keys, mostUnited(dialect), bytesOfKey)) {
    const selects = chunk.map(
      ({ name, key }, index) =>
        sql`SELECT ${sql.integer(index)} AS position, COUNT(*) AS jobs FROM (
              SELECT place FROM ${dialect.tables.ordered}
              WHERE name = ${name} AND order_key = ${key} AND place < ${before} LIMIT ${sql.integer(MOST_COUNTED)}
            ) behind_${sql.integer(index)}`,
    );
    const rows = yield* select<{ position: number | string; jobs: number | string }>(
      sql.join(selects, sql` UNION ALL `),
    );
    const byPosition = new Map(rows.map(({ position, jobs }) => [Number(position), Number(jobs)]));
    counts.push(...chunk.map((_key, index) => byPosition.get(index) ?? 0));
  }
  return counts;
}

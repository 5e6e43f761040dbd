import type { Dialect } from '../../../engine/dialect.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import type { SortKey } from './sort-key.js';

const OPERATORS = {
  '>=': { id: sql`>=`, position: sql`>` },
  '>': { id: sql`>`, position: sql`>` },
  '<': { id: sql`<`, position: sql`<` },
} as const;

/**
 * The condition that a job is before, at or after a sort key in its lane. Index: a range of the lane, down to the id.
 *
 * MySQL and MariaDB make a range of the OR only, SQLite of the comparison of rows only: see docs/decisions/0004.
 */
export function sortKeyCondition(
  { rangesByRowComparison }: Dialect,
  side: keyof typeof OPERATORS,
  { position, id }: SortKey,
): Fragment {
  const operator = OPERATORS[side];
  return rangesByRowComparison
    ? sql`(position, id) ${operator.id} (${position}, ${id})`
    : sql`((position = ${position} AND id ${operator.id} ${id}) OR position ${operator.position} ${position})`;
}

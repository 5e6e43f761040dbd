import type { Dialect } from '../../engine/dialect.js';
import type { Fragment } from '../../engine/operation.js';
import type { SortKey } from './sort-key.js';

/**
 * The condition that a job stands on one side of a place in its lane, or at it. Index: a range of the lane, down to the id.
 *
 * MySQL and MariaDB make a range of the OR only: see `lockFirstReady`. SQLite makes none of it: it reads the lane from its
 * head, and behind all that ANALYZE has counted both sides to the end of the lane, and sorts them. Behind 10,000 jobs the next
 * 10 took 0.53 ms, and 2.2 ms where ANALYZE had not counted the 20,000 that they were the first of; as a comparison of rows
 * 0.025 ms both times (SQLite 3.53, 2026-11-23).
 */
export function afterSortKey({ rangesByRows }: Dialect, beyond: '>=' | '>' | '<', { position, id }: SortKey): Fragment {
  return rangesByRows
    ? { sql: `(position, id) ${beyond} (?, ?)`, parameters: [position, id] }
    : {
        sql: `((position = ? AND id ${beyond} ?) OR position ${beyond === '<' ? '<' : '>'} ?)`,
        parameters: [position, id, position],
      };
}

import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { groupBy } from '../../../group-by.js';
import { MOST_IDS, chunksBySize } from '../chunks.js';
import { type OrderedJob, bytesOfKey } from './order-key.js';

/**
 * Changes the rows of keys whose heads are some jobs. Part of a transaction. Index: the primary key, one range for each
 * name. Locks: these rows.
 *
 * @param statement makes the statement for a condition.
 */
export function* changeHeads(
  dialect: Dialect,
  heads: readonly OrderedJob[],
  statement: (which: Fragment) => Fragment,
): Operation<void> {
  for (const [name, ofName] of groupBy(heads, (head) => head.name)) {
    for (const chunk of chunksBySize(dialect, ofName, MOST_IDS, bytesOfKey)) {
      const keys = sql.list(chunk.map(({ key }) => key));
      const ids = sql.list(chunk.map(({ id }) => id));
      yield* change(statement(sql`name = ${name} AND order_key IN (${keys}) AND job_id IN (${ids})`));
    }
  }
}

import { uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { GraphJob } from './job-graph.js';

interface Found {
  readonly id: Buffer;
  readonly name: string;
  readonly state: GraphJob['state'];
  readonly group_id: Buffer | null;
}

/**
 * Finds jobs by their ids, live or finished, in any order. Deleted jobs are missing. Index: the primary key. Locks
 * nothing.
 *
 * @param ids up to `MOST_NODES`.
 */
export function* findGraphJobs({ tables }: Dialect, ids: readonly string[]): Operation<GraphJob[]> {
  if (ids.length === 0) {
    return [];
  }
  const rows = yield* select<Found>(
    sql`SELECT id, name, state, group_id FROM ${tables.job} WHERE id IN (${sql.list(ids.map(uuidToBytes))})`,
  );
  return rows.map(({ id, name, state, group_id: group }) => ({
    id: uuidFromBytes(id),
    name,
    state,
    group: group === null ? undefined : uuidFromBytes(group),
  }));
}

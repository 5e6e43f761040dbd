import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { Fence } from '../base/jobs/claimed-job.js';
import { chunksOf, mostUnited } from '../base/chunks.js';

/**
 * Reads the jobs that are marked as running by a worker. Index: its lane in each queue, then the primary key for the
 * attempt. Reads no more jobs than the worker has capacity for. Locks nothing.
 */
export function* findRunningAttempts(dialect: Dialect, queues: readonly string[], owner: number): Operation<Fence[]> {
  const { tables, byLane } = dialect;
  const found: Fence[] = [];
  for (const some of chunksOf(queues, mostUnited(dialect))) {
    const selects = some.map(
      (queue) => sql`SELECT id, attempt FROM ${tables.job} ${byLane}
                     WHERE queue = ${queue} AND state = 'running' AND lane = ${owner}`,
    );
    const rows = yield* select<{ id: Buffer; attempt: number | string }>(sql.join(selects, sql` UNION ALL `));
    found.push(...rows.map(({ id, attempt }) => ({ id, owner, attempt: Number(attempt) })));
  }
  return found;
}

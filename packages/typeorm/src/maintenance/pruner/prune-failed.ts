import { forEachBatch } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import {
  AFTER_ALL_FAILURES,
  type FailureCursor,
  compareFailureCursors,
  firstFailureAt,
} from '../../store/base/order/failure-cursor.js';
import { oldestKeptFailure, pruneFailures } from '../../store/history/prune-failures.js';
import type { ResolvedRule } from './retention.js';

const DELETE = { purpose: 'prune the history', atomic: true };
const READ = { purpose: 'find jobs to prune', readOnly: true };

/**
 * Deletes failed jobs beyond their retention, batch by batch.
 *
 * @returns how many were deleted.
 */
export async function pruneFailed(
  engine: Engine,
  { age, count }: ResolvedRule,
  now: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const ends: FailureCursor[] = [];
  if (age !== null) {
    ends.push(firstFailureAt(now - age));
  }
  if (count !== null) {
    const oldest =
      count === 0 ? AFTER_ALL_FAILURES : await engine.execute((dialect) => oldestKeptFailure(dialect, count), READ);
    ends.push(...(oldest ? [oldest] : []));
  }
  const before = ends.sort(compareFailureCursors).at(-1);
  let deleted = 0;
  await forEachBatch(
    before && firstFailureAt(0),
    async (after) => {
      const batch = await engine.execute((dialect) => pruneFailures(dialect, after, before as FailureCursor), DELETE);
      deleted += batch.deleted;
      return batch.end;
    },
    signal,
  );
  return deleted;
}

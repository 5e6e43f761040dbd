import type { Dialect } from '../../engine/dialect.js';
import { type Operation, placeholders, select } from '../../engine/operation.js';
import { deleteById } from './delete-by-id.js';

/**
 * Deletes the requests to cancel some jobs, in the transaction that gives these something new to do.
 *
 * Found without a lock first: there are none as a rule, and a locking look for them would keep others from coming.
 */
export function* deleteCancellations(dialect: Dialect, ids: readonly Buffer[]): Operation<void> {
  const found = yield* select<{ job_id: Buffer }>(
    `SELECT job_id FROM ${dialect.tables.cancellation} WHERE job_id IN (${placeholders(ids)})`,
    ids,
  );
  const requested = found.map(({ job_id: id }) => id);
  yield* deleteById(dialect, 'cancellation', requested);
}

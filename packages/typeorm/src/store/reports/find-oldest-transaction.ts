import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';

/**
 * Finds the age of the oldest open transaction whose snapshot may stop purge, in ms; 0 if there is none. Undefined if
 * the transactions are not visible. `'none'` on SQLite, which purges nothing.
 *
 * Reads a view of the server, no table. InnoDB counts whole seconds. It refreshes the view only if it was not read for
 * 100 ms, so more than ten health checks a second get old values. See docs/decisions/0070.
 */
export function* findOldestTransaction({ snapshots }: Dialect): Operation<number | 'none' | undefined> {
  if (!snapshots) {
    return 'none';
  }
  try {
    const [row] = yield* select<{ age: number | string | null }>(snapshots.oldest);
    return Math.max(0, Number(row?.age ?? 0));
  } catch (error) {
    if (snapshots.isHidden(error)) {
      return undefined;
    }
    throw error;
  }
}

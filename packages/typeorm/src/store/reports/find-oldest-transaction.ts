import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';

/**
 * For how long the oldest transaction has been open whose snapshot may stop purge, in ms: 0 where there is none, undefined
 * where the account may not see the transactions of others. `'none'` on SQLite, where nothing is purged.
 *
 * Reads a view of the server's own, no table. InnoDB keeps whole seconds, and renews the view only when nobody has read it
 * for 100 ms: with more than ten health checks a second over all processes it tells what was.
 */
export function* findOldestTransaction({ snapshots }: Dialect): Operation<number | 'none' | undefined> {
  if (!snapshots) {
    return 'none';
  }
  try {
    const [row] = yield* select<{ age: number | string | null }>(snapshots.oldest);
    return Math.max(0, Number(row?.age ?? 0));
  } catch (error) {
    if (snapshots.isDenied(error)) {
      return undefined;
    }
    throw error;
  }
}

import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import { lockKeysOf, releaseKeys } from '../base/unique-keys.js';

/** What became of jobs that were to be finished. Those in neither list are lost to another worker. */
export interface Finished<Item> {
  readonly finished: readonly Item[];
  /** Their row, or their unique key, is locked by an open transaction: they are not finished before it ends. */
  readonly busy: readonly Item[];
}

/**
 * Finishes jobs, in whatever way, that may hold unique keys: these are locked before and let go of at the end, in the same
 * transaction. See `unique-keys.ts`.
 *
 * @param finish takes the jobs out of the live table that are still this worker's.
 */
export function* finishWithKeys<Item>(
  dialect: Dialect,
  items: readonly Item[],
  jobOf: (item: Item) => ClaimedJob,
  finish: (free: readonly Item[]) => Operation<Finished<Item>>,
): Operation<Finished<Item>> {
  const { keys, busy } = yield* lockKeysOf(dialect, items.map(jobOf));
  const free = busy.size === 0 ? items : items.filter((item) => !busy.has(jobOf(item)));
  const done = free.length === 0 ? { finished: [], busy: [] } : yield* finish(free);
  if (keys.length > 0) {
    const ids = new Set(done.finished.map((item) => jobOf(item).id.toString('hex')));
    yield* releaseKeys(
      dialect,
      keys.filter(({ jobId }) => ids.has(jobId.toString('hex'))),
    );
  }
  return busy.size === 0
    ? done
    : { finished: done.finished, busy: [...done.busy, ...items.filter((item) => busy.has(jobOf(item)))] };
}

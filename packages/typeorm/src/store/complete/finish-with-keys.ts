import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { freeKeys, holdersUntilFinished, lockKeysOf } from '../base/keys/unique-keys.js';

/** The result of finishing jobs. Those in neither list are lost to another worker. */
export interface Finished<Item> {
  readonly finished: readonly Item[];
  /** Another transaction has locked their row or their unique key: try again later. */
  readonly busy: readonly Item[];
}

/**
 * Finishes jobs that may hold unique keys: locks the keys first and frees them at the end, in the same transaction. See
 * `unique-keys.ts`.
 *
 * @param finish finishes or deletes the jobs that this worker still holds. Its second argument are the ids of the jobs
 *   whose key a retry takes again.
 */
export function* finishWithKeys<Item>(
  dialect: Dialect,
  items: readonly Item[],
  jobOf: (item: Item) => ClaimedJob,
  finish: (free: readonly Item[], holders: ReadonlySet<string>) => Operation<Finished<Item>>,
): Operation<Finished<Item>> {
  const { keys, busy } = yield* lockKeysOf(dialect, items.map(jobOf));
  const free = busy.size === 0 ? items : items.filter((item) => !busy.has(jobOf(item)));
  const done = free.length === 0 ? { finished: [], busy: [] } : yield* finish(free, holdersUntilFinished(keys));
  if (keys.length > 0) {
    const ids = new Set(done.finished.map((item) => jobOf(item).id.toString('hex')));
    yield* freeKeys(
      dialect,
      keys.filter(({ jobId }) => ids.has(jobId.toString('hex'))),
    );
  }
  return busy.size === 0
    ? done
    : { finished: done.finished, busy: [...done.busy, ...items.filter((item) => busy.has(jobOf(item)))] };
}

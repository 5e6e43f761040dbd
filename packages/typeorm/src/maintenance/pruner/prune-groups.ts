import { repeatUntilDone } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { readClock } from '../../store/base/read-clock.js';
import { pruneGroups } from '../../store/groups/prune-groups.js';
import type { ResolvedRetention } from './retention.js';

/** How long a finished group is kept, in ms, if no outcome has an age. */
const DEFAULT_AGE = 30 * 24 * 3_600_000;

/**
 * Deletes groups that finished longer ago than the longest age of an outcome, batch by batch. Each batch commits
 * separately. Deletes nothing if all jobs are kept.
 */
export async function pruneFinishedGroups(
  engine: Engine,
  retention: ResolvedRetention,
  signal?: AbortSignal,
): Promise<void> {
  const rules = Object.values(retention);
  if (rules.every(({ age, count }) => age === null && count === null)) {
    return;
  }
  const ages = rules.flatMap(({ age }) => age ?? []);
  const age = ages.length > 0 ? Math.max(...ages) : DEFAULT_AGE;
  const now = await engine.execute(readClock, { purpose: 'find groups to prune', readOnly: true });
  const options = { purpose: 'prune groups', atomic: true };
  await repeatUntilDone(async () => {
    const more = await engine.execute((dialect) => pruneGroups(dialect, now - age), options);
    return more && !signal?.aborted;
  });
}

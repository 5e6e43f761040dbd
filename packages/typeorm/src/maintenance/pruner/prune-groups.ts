import { repeatUntilDone } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { pruneGroups } from '../../store/groups/prune-groups.js';
import { readClock } from '../../store/base/read-clock.js';
import type { ResolvedRetention } from './retention.js';

/** How long a finished group is kept, in ms, where no outcome has an age. */
const WITHOUT_AGES = 30 * 24 * 3_600_000;

/**
 * Deletes groups that finished longer ago than the longest age of an outcome: batch by batch, each committed by itself.
 * Nothing where everything is kept.
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
  const age = ages.length > 0 ? Math.max(...ages) : WITHOUT_AGES;
  const now = await engine.execute(readClock, { purpose: 'look for groups to prune', readOnly: true });
  await repeatUntilDone(async () => {
    const more = await engine.execute((dialect) => pruneGroups(dialect, now - age), {
      purpose: 'prune groups',
      atomic: true,
    });
    return more && !signal?.aborted;
  });
}

import type { Engine } from '../../engine/engine.js';
import { cancelJobs } from '../../store/actions/cancel-jobs.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { inKeyOrderOf } from '../../store/base/locks/fence.js';
import { findChildrenOfEnded } from '../../store/groups/find-parents.js';

/** Cancels the children of durable jobs that have ended. Running ones are asked to stop. @returns how many. */
export async function cancelChildrenOfEnded(engine: Engine): Promise<number> {
  const read = { purpose: 'find children whose parent has ended', readOnly: true };
  const found = await engine.execute((dialect) => findChildrenOfEnded(dialect, MOST_IDS), read);
  if (found.length === 0) {
    return 0;
  }
  const ids = inKeyOrderOf(found, (id) => ({ id }));
  const options = { purpose: 'cancel children whose parent has ended', atomic: true };
  await engine.execute((dialect) => cancelJobs(dialect, ids, null), options);
  return found.length;
}

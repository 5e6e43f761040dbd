import { repeatUntilDone } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { cancelJobs } from '../../store/actions/cancel-jobs.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { inKeyOrderOf } from '../../store/base/locks/fence.js';
import { findChildrenOfEnded } from '../../store/groups/find-parents.js';

/** Cancels the children of durable jobs that have ended. Running ones are asked to stop. */
export function cancelChildrenOfEnded(engine: Engine): Promise<void> {
  const read = { purpose: 'find children whose parent has ended', readOnly: true };
  const write = { purpose: 'cancel children whose parent has ended', atomic: true };
  return repeatUntilDone(async () => {
    const found = await engine.execute((dialect) => findChildrenOfEnded(dialect, MOST_IDS), read);
    if (found.length === 0) {
      return false;
    }
    const ids = inKeyOrderOf(found, (id) => ({ id }));
    const { cancelled, requested } = await engine.execute(
      (dialect) => cancelJobs(dialect, ids, null, 'request'),
      write,
    );
    return found.length === MOST_IDS && cancelled.length + requested.length > 0;
  });
}

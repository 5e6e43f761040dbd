import { repeatUntilDone } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { pruneActions, pruneThroughput } from '../../store/history/prune-records.js';
import { readClock } from '../../store/base/read-clock.js';

/** How long the throughput by the minute is kept, in ms: for a day beside the day before. */
const THROUGHPUT_AGE = 49 * 3_600_000;

/**
 * Deletes what was recorded of throughput and of actions by hand and need not be kept.
 *
 * @param auditAge how long actions are kept, in ms; null keeps them all.
 */
export async function pruneRecords(engine: Engine, auditAge: number | null, signal?: AbortSignal): Promise<void> {
  const purpose = 'prune records';
  const now = await engine.execute(readClock, { purpose, readOnly: true });
  await engine.execute((dialect) => pruneThroughput(dialect, now - THROUGHPUT_AGE), { purpose });
  if (auditAge === null) {
    return;
  }
  await repeatUntilDone(async () => {
    const more = await engine.execute((dialect) => pruneActions(dialect, now - auditAge), { purpose, atomic: true });
    return more && !signal?.aborted;
  });
}

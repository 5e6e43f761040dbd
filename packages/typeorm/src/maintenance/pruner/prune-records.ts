import { repeatUntilDone } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { readClock } from '../../store/base/read-clock.js';
import { pruneActions, pruneThroughput } from '../../store/history/prune-records.js';

/** How long the throughput by the minute is kept, in ms: it compares a day with the day before. */
const THROUGHPUT_AGE = 49 * 3_600_000;

/**
 * Deletes old throughput, and old entries of the audit trail.
 *
 * @param auditAge how long entries of the audit trail are kept, in ms; null keeps them all.
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

import { forEachBatch } from '../../async/batches.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { groupBy } from '../../group-by.js';
import { MOST_IDS, chunksOf } from '../../store/base/chunks.js';
import type { EndedQueuedJob } from '../../store/base/jobs/end-queued.js';
import { inKeyOrderOf } from '../../store/base/locks/fence.js';
import { readClock } from '../../store/base/read-clock.js';
import { storeThroughput } from '../../store/complete/store-throughput.js';
import { expireJobs } from '../../store/base/jobs/expire-jobs.js';
import { type DueExpiry, findDueExpiries } from '../../store/expiry/find-due-expiries.js';
import { postponeExpiries } from '../../store/expiry/postpone-expiries.js';

/** Receives jobs that have expired, after the commit. Its promise is awaited. */
export type ExpiryListener = (jobs: readonly EndedQueuedJob[]) => unknown;

/**
 * Ends jobs that a claim has found expired.
 *
 * @returns how many have expired: others are locked, or have a unique key that is.
 */
export async function expireFound(
  engine: Engine,
  ids: readonly Buffer[],
  onExpired: ExpiryListener | undefined,
): Promise<number> {
  const inOrder = inKeyOrderOf(ids, (id) => ({ id }));
  let total = 0;
  for (const some of chunksOf(inOrder, MOST_IDS)) {
    total += (await expireBatch(engine, some, onExpired)).size;
  }
  return total;
}

/**
 * Ends all jobs that have not started before their expiry time, in batches, whether or not workers claim from their
 * queues.
 *
 * @returns how many have expired.
 */
export async function expireAllDue(
  engine: Engine,
  onExpired: ExpiryListener | undefined,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  await forEachBatch<{ readonly after?: DueExpiry }>(
    {},
    async ({ after }) => {
      const due = await executeRead(engine, 'find expired jobs', (dialect) => findDueExpiries(dialect, after));
      const ids = inKeyOrderOf(due, ({ jobId }) => ({ id: jobId })).map(({ jobId }) => jobId);
      const expired = ids.length === 0 ? new Set() : await expireBatch(engine, ids, onExpired);
      total += expired.size;
      const others = ids.filter((id) => !expired.has(id.toString('hex')));
      if (others.length > 0) {
        const options = { purpose: 'check expired jobs later', atomic: true, withoutGaps: true };
        await engine.execute((dialect) => postponeExpiries(dialect, others), options);
      }
      return due.length === MOST_IDS ? { after: due.at(-1) } : undefined;
    },
    signal,
  );
  return total;
}

/** @returns the ids, in hex, of the jobs that have expired. */
async function expireBatch(
  engine: Engine,
  ids: readonly Buffer[],
  onExpired: ExpiryListener | undefined,
): Promise<ReadonlySet<string>> {
  const options = { purpose: 'end expired jobs', atomic: true, withoutGaps: true };
  const ended = await engine.execute((dialect) => expireJobs(dialect, ids), options);
  if (ended.length > 0) {
    await onExpired?.(ended);
    await countExpired(engine, ended);
  }
  return new Set(ended.map(({ id }) => id.toString('hex')));
}

async function countExpired(engine: Engine, jobs: readonly EndedQueuedJob[]): Promise<void> {
  const now = await executeRead(engine, 'store throughput counts', readClock);
  const deltas = [...groupBy(jobs, (job) => job.queue)].map(([queue, { length: expired }]) => {
    return { ...NOTHING, queue, expired };
  });
  await storeThroughput(engine, now, deltas);
}

const NOTHING = { succeeded: 0, failed: 0, retried: 0, latencySum: 0, latencyMax: 0, runSum: 0, runMax: 0 };

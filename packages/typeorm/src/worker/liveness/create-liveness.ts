import type { Engine } from '../../engine/engine.js';
import type { QueueLogger } from '../../logger.js';
import type { Reaper } from '../../maintenance/reaper/reaper.js';
import type { WorkerQueue } from '../../store/workers/worker-queues.js';
import type { ResolvedWorkerOptions } from '../worker-options.js';
import { DeadWorkerReaping } from './dead-worker-reaping.js';
import { FailureDetector } from './failure-detector.js';
import { Lease } from './lease.js';
import { LivenessLock } from './liveness-lock.js';

/** What shows that a worker is alive, and what finds others that are not. */
export interface WorkerLiveness {
  readonly lease: Lease;
  /** Undefined where the worker has no named lock. */
  readonly lock: LivenessLock | undefined;
  readonly failureDetector: FailureDetector;
  readonly reaping: DeadWorkerReaping;
}

/** @param onLeaseLost called when the lease was lost, before the worker registers again. */
export function createLiveness(
  engine: Engine,
  queues: readonly WorkerQueue[],
  options: Pick<ResolvedWorkerOptions, 'lease' | 'liveness' | 'deadWorkerGracePeriod'>,
  reaper: Reaper,
  logger: QueueLogger,
  onLeaseLost: () => void,
): WorkerLiveness {
  const hasLock = options.liveness === 'connection' && engine.openLockSession !== undefined;
  const lock = hasLock ? new LivenessLock(engine, logger, () => lease.onLockChanged()) : undefined;
  const lease: Lease = new Lease(engine, queues, options.lease, () => lock?.mark, logger, onLeaseLost);
  const reaping = new DeadWorkerReaping(reaper, logger);
  const failureDetector = new FailureDetector({
    gracePeriod: options.deadWorkerGracePeriod,
    owner: () => lease.owner,
    hasLock: () => lock?.mark !== undefined && lease.allowsClaims,
    onOwnLockLost: () => void lock?.retake(),
    onDead: (ids) => reaping.startReaping(ids),
  });
  return { lease, lock, failureDetector, reaping };
}

import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { Reaper } from '../../maintenance/reaper/reaper.js';
import type { WorkerQueue } from '../../store/workers/worker-queues.js';
import type { ResolvedWorkerOptions } from '../worker-options.js';
import { FailureDetector } from './failure-detector.js';
import { Lease } from './lease.js';
import { LivenessLock } from './liveness-lock.js';
import { type ReportedWorker, WorkerReporter } from './worker-reporter.js';

/** What shows that a worker is alive, and what finds others that are not. */
export interface WorkerLiveness {
  readonly lease: Lease;
  /** Undefined where the worker has no named lock. */
  readonly lock: LivenessLock | undefined;
  readonly failureDetector: FailureDetector;
}

/** What the liveness of a worker needs. */
export interface LivenessDependencies {
  readonly engine: Engine;
  readonly queues: readonly WorkerQueue[];
  readonly options: Pick<ResolvedWorkerOptions, 'lease' | 'liveness' | 'deadWorkerGracePeriod'>;
  readonly reported: ReportedWorker;
  readonly reaper: Reaper;
  readonly logger: QueueLogger;
  /** Called when the lease was lost, before the worker registers again. */
  readonly onLeaseLost: () => void;
}

export function createLiveness(dependencies: LivenessDependencies): WorkerLiveness {
  const { engine, queues, options, reported, reaper, logger, onLeaseLost } = dependencies;
  const hasLock = options.liveness === 'connection' && engine.openLockSession !== undefined;
  const lock = hasLock ? new LivenessLock(engine, logger, () => lease.onLockChanged()) : undefined;
  const reporter = new WorkerReporter(reported, options.lease);
  const lease: Lease = new Lease(engine, queues, options.lease, () => lock?.mark, reporter, logger, onLeaseLost);
  const failureDetector = new FailureDetector({
    gracePeriod: options.deadWorkerGracePeriod,
    owner: () => lease.owner,
    hasLock: () => lock?.mark !== undefined && lease.allowsClaims,
    onOwnLockLost: () => void lock?.retake(),
    reap: (ids) => reapMissing(reaper, ids, logger),
  });
  return { lease, lock, failureDetector };
}

async function reapMissing(reaper: Reaper, ids: readonly number[], logger: QueueLogger): Promise<void> {
  try {
    const dead = await reaper.reapMissing(ids);
    if (dead.length > 0) {
      logger.log(`Workers have died, their jobs are ready again: ${dead.join(', ')}`);
    }
  } catch (error) {
    logError(logger, 'Jobs of dead workers could not be freed and wait for the next reaper', error);
  }
}

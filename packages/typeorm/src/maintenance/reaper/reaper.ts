import { forEachBatch, repeatUntilDone, runAll } from '../../async/batches.js';
import { BEFORE_ALL_IDS } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { clearCancellations } from '../../store/actions/clear-cancellations.js';
import { deleteExpiredWindows } from '../../store/base/keys/delete-expired-windows.js';
import { deleteExpiredWorkers } from '../../store/workers/delete-expired-workers.js';
import { endLeasesOfMissing } from '../../store/workers/end-leases-of-missing.js';
import { findReaperTasks } from '../../store/workers/find-reaper-tasks.js';
import { rebaseLeases } from '../../store/workers/rebase-leases.js';
import { MaintenanceService } from '../maintenance-service.js';
import { type ExpiryListener, expireAllDue } from './expire-jobs.js';
import { advanceAbandonedKeys } from './advance-abandoned-keys.js';
import { type StallListener, returnAllAbandoned } from './return-abandoned-jobs.js';
import { triggerAllDue } from './trigger-due-callbacks.js';
import { cancelChildrenOfEnded } from './cancel-children.js';
import { wakeForSignals } from './wake-for-signals.js';

/** What one run of the reaper did. */
export interface ReaperResult {
  /** How many jobs of dead workers are ready again. */
  readonly returned: number;
  /** How many dead workers were deleted. */
  readonly workers: number;
  /** How many jobs were cancelled whose workers could not cancel them. */
  readonly cancelled: number;
  /** How many jobs expired before they started. */
  readonly expired: number;
  /** How many callbacks of groups became ready. */
  readonly triggered: number;
}

/**
 * Cleans up after dead workers: returns their jobs, deletes their rows, cancels jobs with a request and triggers
 * callbacks of groups. It ends jobs that have not started before their expiry time. It also deletes unique keys whose
 * period is over, and wakes up jobs for signals of dead processes.
 */
export class Reaper extends MaintenanceService<ReaperResult> {
  readonly task = 'reaper';

  /**
   * @param engine the engine of a worker, or of a queue.
   * @param onReady called with each queue in which jobs became ready.
   * @param stalls receives each job that was returned.
   * @param onExpired receives the jobs that have expired.
   */
  constructor(
    engine: Engine,
    onReady?: (queue: string) => void,
    private readonly stalls?: StallListener,
    private readonly onExpired?: ExpiryListener,
  ) {
    super(engine, onReady);
  }

  override async runOnce(signal?: AbortSignal): Promise<ReaperResult> {
    const { engine, stalls, onReady } = this;
    const tasks = await executeRead(engine, 'find work for the reaper', findReaperTasks);
    const done = { returned: 0, workers: 0, cancelled: 0, expired: 0, triggered: 0 };
    if (tasks.hasLeasesAhead) {
      await engine.execute(rebaseLeases, { purpose: 'shorten leases from a time when the clock was ahead' });
    }
    // A step that fails, for example because of a transaction of the application, does not prevent the others.
    await runAll(
      async () => (done.returned = await returnAllAbandoned(engine, tasks.abandoned, stalls, onReady)),
      async () => (done.workers = tasks.hasExpiredWorkers ? await deleteWorkers(engine) : 0),
      async () => (done.cancelled = tasks.hasCancellations ? await clearAllCancellations(engine) : 0),
      // Before the steps that continue with jobs that depend on it.
      async () => (done.expired = tasks.hasExpiries ? await expireAllDue(engine, this.onExpired, signal) : 0),
      async () => tasks.hasExpiredWindows && deleteWindows(engine),
      async () => tasks.hasSignals && wakeForSignals(engine, onReady),
      async () => tasks.hasOrderedJobs && advanceAbandonedKeys(engine, onReady),
      async () => tasks.hasGroups && cancelChildrenOfEnded(engine),
      async () => (done.triggered = tasks.hasGroups ? await triggerAllDue(engine, onReady, signal) : 0),
    );
    return done;
  }

  /**
   * Returns the jobs of workers whose named lock is free, before their lease ends.
   *
   * @param ids the workers that were missing for long enough; others are left alone.
   * @returns the workers whose lease was ended: they are dead, or will register again.
   */
  async reapMissing(ids: readonly number[]): Promise<number[]> {
    const options = { purpose: 'end the leases of dead workers', atomic: true };
    const dead = await this.engine.execute((dialect) => endLeasesOfMissing(dialect, ids), options);
    if (dead.length > 0) {
      await this.runOnce();
    }
    return dead;
  }
}

function deleteWorkers(engine: Engine): Promise<number> {
  return engine.execute(deleteExpiredWorkers, { purpose: 'delete dead workers' });
}

function deleteWindows(engine: Engine): Promise<void> {
  const options = { purpose: 'delete expired unique keys', atomic: true };
  return repeatUntilDone(() => engine.execute(deleteExpiredWindows, options));
}

/**
 * Cancels jobs whose workers could not, and deletes requests for finished jobs.
 *
 * @returns how many jobs were cancelled.
 */
async function clearAllCancellations(engine: Engine): Promise<number> {
  const options = { purpose: 'clear cancellations', atomic: true };
  let total = 0;
  await forEachBatch(BEFORE_ALL_IDS, async (after) => {
    const { cancelled, end } = await engine.execute((dialect) => clearCancellations(dialect, after), options);
    total += cancelled;
    return end;
  });
  return total;
}

import { runAll, repeatUntilDone, forEachBatch } from '../../async/batches.js';
import { BEFORE_ALL_IDS } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { clearCancellations } from '../../store/actions/clear-cancellations.js';
import {
  type RunningLane,
  type StalledJob,
  deleteExpiredWorkers,
  findReaperTasks,
  returnAbandonedJobs,
} from '../../store/workers/return-abandoned-jobs.js';
import { endLeasesOfMissing } from '../../store/workers/missing-workers.js';
import { deleteExpiredWindows } from '../../store/base/delete-expired-windows.js';
import { MaintenanceService } from '../maintenance-service.js';
import { triggerAllDue } from './trigger-due-callbacks.js';

/** What one run of the reaper did. */
export interface ReaperResult {
  /** How many jobs of dead workers are ready again. */
  readonly freed: number;
  /** How many workers were forgotten. */
  readonly workers: number;
  /** How many jobs were cancelled that ran when somebody asked for it, and were handed back or are to be tried again. */
  readonly cancelled: number;
  /** How many jobs became ready that waited for a group. */
  readonly released: number;
}

/** Who is told of the jobs that a reaper frees. */
export interface StallListener {
  /** Whether anybody listens: otherwise nothing is read for it. */
  readonly isListening: boolean;
  /** Called when the job is ready again, and that is committed. */
  onStalled(job: StalledJob): void;
}

const NOBODY: StallListener = { isListening: false, onStalled: () => undefined };

/**
 * Frees the jobs of workers whose lease has ended, and carries out cancellations that their workers could not. Forgets
 * unique keys whose window is over, and releases what waits for a group and was left by a process that has died.
 */
export class Reaper extends MaintenanceService<ReaperResult> {
  readonly task = 'reaper';

  /**
   * @param engine the engine of a worker, or of a queue.
   * @param onReady told of each queue in which jobs became ready.
   * @param stalls told of each job that was freed.
   */
  constructor(
    engine: Engine,
    onReady?: (queue: string) => void,
    private readonly stalls: StallListener = NOBODY,
  ) {
    super(engine, onReady);
  }

  override async runOnce(signal?: AbortSignal): Promise<ReaperResult> {
    const remains = await this.engine.execute(findReaperTasks, { purpose: 'look for dead workers', readOnly: true });
    const done = { freed: 0, workers: 0, cancelled: 0, released: 0 };
    // What holds up one of these, a transaction of the application's say, is nothing to the others.
    await runAll(
      async () => (done.freed = await this.freeJobs(remains.lanes)),
      async () => (done.workers = remains.hasWorkers ? await this.forgetWorkers() : 0),
      async () => (done.cancelled = remains.hasCancellations ? await this.clearCancellations() : 0),
      async () => remains.hasWindows && this.forgetWindows(),
      async () => (done.released = remains.hasGroups ? await this.releaseGroups(signal) : 0),
    );
    return done;
  }

  private async freeJobs(lanes: readonly RunningLane[]): Promise<number> {
    let freed = 0;
    for (const lane of lanes) {
      const options = { purpose: 'free abandoned jobs', atomic: true };
      freed += await this.makeAllReady(lane.queue, async () => {
        const names = this.stalls.isListening;
        const batch = await this.engine.execute((dialect) => returnAbandonedJobs(dialect, lane, names), options);
        batch.stalled.forEach((job) => this.stalls.onStalled(job));
        return batch;
      });
    }
    return freed;
  }

  private forgetWorkers(): Promise<number> {
    return this.engine.execute(deleteExpiredWorkers, { purpose: 'forget dead workers' });
  }

  private forgetWindows(): Promise<void> {
    return repeatUntilDone(() =>
      this.engine.execute(deleteExpiredWindows, { purpose: 'forget unique keys', atomic: true }),
    );
  }

  /**
   * Frees the jobs of workers whose named lock is free, without waiting for their lease to end.
   *
   * @param ids those that have been seen without their lock for long enough; the others are left alone.
   * @returns those whose lease was ended: they have died, or will register anew.
   */
  async reapMissing(ids: readonly number[]): Promise<number[]> {
    const options = { purpose: 'end the leases of dead workers', atomic: true };
    const dead = await this.engine.execute((dialect) => endLeasesOfMissing(dialect, ids), options);
    if (dead.length > 0) {
      await this.runOnce();
    }
    return dead;
  }

  private async releaseGroups(signal: AbortSignal | undefined): Promise<number> {
    const ready = await triggerAllDue(this.engine, signal);
    new Set(ready.map(({ queue }) => queue)).forEach((queue) => this.onReady(queue));
    return ready.length;
  }

  private async clearCancellations(): Promise<number> {
    let total = 0;
    await forEachBatch(BEFORE_ALL_IDS, async (after) => {
      const options = { purpose: 'clear cancellations', atomic: true };
      const { cancelled, end } = await this.engine.execute((dialect) => clearCancellations(dialect, after), options);
      total += cancelled;
      return end;
    });
    return total;
  }
}

import type { Engine } from '../../engine/engine.js';
import type { QueueLogger } from '../../logger.js';
import type { Fence } from '../../store/base/jobs/claimed-job.js';
import { MOST_CLAIMED, chunksOf } from '../../store/base/chunks.js';
import { keyOf } from '../../store/base/locks/fence.js';
import { findRunningAttempts } from '../../store/claim/find-running-attempts.js';
import { returnJobs } from '../../store/complete/return-jobs.js';
import type { JobPool } from '../running/job-pool.js';

/** The pause before the check that confirms what another has found, in ms. */
const CONFIRMED_AFTER = 1_000;

/**
 * Returns jobs that are marked as running by this worker, although they do not run here. A server that loses its last
 * commits leaves such jobs: their outcome is lost, and they would stay running as long as the worker lives. See
 * decision 0098.
 *
 * The claimer checks between its claims, so no claim is under way whose jobs have not started. A job counts as orphaned
 * after two checks, and the fence refuses its return if its outcome was stored meanwhile.
 */
export class OrphanedJobs {
  private checkAt: number;
  /** The attempts that the last check found, by `keyOf`. */
  private suspected: ReadonlySet<string> = new Set();
  private since: Date | undefined;

  /** @param interval in ms: the lease. */
  constructor(
    private readonly engine: Engine,
    private readonly queues: readonly string[],
    private readonly interval: number,
    private readonly pool: JobPool,
    private readonly logger: QueueLogger,
  ) {
    this.checkAt = performance.now() + interval;
  }

  /** How many jobs the last check found, and when it was found first that there are some. */
  get found(): { readonly count: number; readonly since: Date | undefined } {
    return { count: this.suspected.size, since: this.since };
  }

  /** The time until the next check, in ms. */
  get dueIn(): number {
    return Math.max(0, this.checkAt - performance.now());
  }

  /** A statement failed: the server may have restarted and lost commits. */
  checkSoon(): void {
    this.checkAt = Math.min(this.checkAt, performance.now() + CONFIRMED_AFTER);
  }

  /** Checks where that is due. Call it while no claim is under way. */
  async returnIfDue(owner: number): Promise<void> {
    if (this.dueIn > 0) {
      return;
    }
    // Before the statement, which may fail: a check that stays due would be repeated without a pause.
    this.checkAt = performance.now() + this.interval;
    const options = { purpose: 'find orphaned jobs', readOnly: true };
    const marked = await this.engine.execute((dialect) => findRunningAttempts(dialect, this.queues, owner), options);
    const running = this.pool.attempts();
    const orphaned = marked.filter((job) => !running.has(keyOf(job)));
    const returned = await this.return(orphaned.filter((job) => this.suspected.has(keyOf(job))));
    this.suspected = new Set(orphaned.filter((job) => !returned.has(job)).map(keyOf));
    this.since = this.suspected.size > 0 ? (this.since ?? new Date()) : undefined;
    this.checkAt = performance.now() + (this.suspected.size > 0 ? CONFIRMED_AFTER : this.interval);
  }

  /** @returns those that no other transaction has locked. */
  private async return(jobs: readonly Fence[]): Promise<ReadonlySet<Fence>> {
    const options = { purpose: 'return orphaned jobs', atomic: true };
    const returned = new Set(jobs);
    for (const some of chunksOf(jobs, MOST_CLAIMED)) {
      const busy = await this.engine.execute((dialect) => returnJobs(dialect, some), options);
      busy.forEach((job) => returned.delete(job));
    }
    if (returned.size > 0) {
      this.logger.warn(
        `${returned.size} jobs were marked as running by this worker, which did not run them. They were returned to ` +
          'their queues and run again. The server may have lost its last commits.',
      );
    }
    return returned;
  }
}

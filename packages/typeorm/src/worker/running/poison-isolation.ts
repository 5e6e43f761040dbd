import { setImmediate } from 'node:timers/promises';

import { type AttemptResult, RESCHEDULED } from '../completing/outcome.js';

/** How long claims stay blocked after an attempt begins, in ms: a job that kills its process often does so at once. */
const CLAIMS_BLOCKED_FOR = 100;

/**
 * Runs jobs that are one crash away from failing as poison, one at a time, so that innocent neighbors are not blamed.
 *
 * When a process dies, the crash counts for all jobs that ran in it, and the same worker may claim all of them again.
 * So such an attempt begins only when the outcomes of earlier ones are stored and no claim is under way that may bring
 * another. Jobs that were rescheduled together come back within a few ms, in several claims. So all claims of the
 * worker go through here. See decision 0043.
 */
export class PoisonIsolation {
  private isTaken = false;
  private readonly completing = new Set<Promise<void>>();
  private claimsBlocked: Promise<void> | undefined;
  private currentClaim: Promise<void> = Promise.resolve();

  /** Runs a claim as soon as claims are not blocked. One at a time. */
  async runClaim(claim: () => Promise<void>): Promise<void> {
    while (this.claimsBlocked) {
      await this.claimsBlocked;
    }
    this.currentClaim = claim();
    await this.currentClaim;
  }

  /** Runs an attempt, or reschedules it while another one runs. */
  async runIsolated(attempt: () => AttemptResult | Promise<AttemptResult>): Promise<AttemptResult> {
    if (this.isTaken) {
      return RESCHEDULED;
    }
    this.isTaken = true;
    try {
      return await this.runAlone(attempt);
    } finally {
      this.isTaken = false;
    }
  }

  /** Lets the next attempt wait until the outcome of such a job is stored. */
  trackCompletion(completed: Promise<void>): void {
    this.completing.add(completed);
    void completed.then(() => this.completing.delete(completed));
  }

  private async runAlone(attempt: () => AttemptResult | Promise<AttemptResult>): Promise<AttemptResult> {
    for (;;) {
      // Claims go on meanwhile: an outcome may wait for a transaction of the application.
      await Promise.all(this.completing);
      const unblock = await this.blockClaims();
      const timer = setTimeout(unblock, CLAIMS_BLOCKED_FOR);
      try {
        // The jobs of the last claim start in this tick and are rescheduled.
        await setImmediate();
        if (this.completing.size === 0) {
          return await attempt();
        }
      } finally {
        clearTimeout(timer);
        unblock();
      }
    }
  }

  /** @returns unblocks claims, when the jobs of a claim under way have started. Idempotent. */
  private async blockClaims(): Promise<() => void> {
    let unblock = (): void => undefined;
    this.claimsBlocked = new Promise((resolve) => {
      unblock = () => {
        this.claimsBlocked = undefined;
        resolve();
      };
    });
    await this.currentClaim.catch(() => undefined);
    return unblock;
  }
}

import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimRequest } from '../../store/claim/claim-strategy.js';
import { returnClaim } from '../../store/claim/return-claim.js';

/**
 * How long a commit may go on in the server after its connection broke, in ms. It waits for no lock, but perhaps for a
 * replica.
 */
const DOUBT = 60_000;

/** How often jobs of a doubtful claim are handed back, in ms. */
export const RETURN_INTERVAL = 1_000;

/** A claim of which nobody knows whether it took jobs. */
interface Doubt {
  readonly request: ClaimRequest;
  readonly since: number;
  takenBackAt: number;
}

/**
 * Claims that failed. Each may have taken jobs, and on a broken connection it may even still be running. So its jobs are
 * handed back soon, for nobody runs them while the worker's lease is renewed, and again until no statement can be under
 * way any more, and none of them is locked by somebody else. Other claims need not wait for that: each has a number of
 * its own.
 */
export class UncertainClaims {
  private readonly doubts = new Set<Doubt>();

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
  ) {}

  get areAny(): boolean {
    return this.doubts.size > 0;
  }

  add(request: ClaimRequest): void {
    this.doubts.add({ request, since: performance.now(), takenBackAt: -Infinity });
  }

  /**
   * Hands back what is due. Never fails: after a failure the rest has its turn when the claimer has been elsewhere, for
   * it may fail after as long a time.
   *
   * @param isStopped whether the worker is about to be forgotten: then the reaper finds what it leaves.
   */
  async settle(isStopped: () => boolean): Promise<void> {
    for (const doubt of this.doubts) {
      if (isStopped()) {
        return;
      }
      if (performance.now() - doubt.takenBackAt < RETURN_INTERVAL) {
        continue;
      }
      const options = { purpose: 'take a claim back', atomic: true };
      let isAll: boolean;
      try {
        isAll = await this.engine.execute((dialect) => returnClaim(dialect, doubt.request), options);
      } catch (error) {
        logError(this.logger, 'The jobs of a failed claim could not be handed back, which is tried again', error);
        return;
      } finally {
        doubt.takenBackAt = performance.now();
      }
      if (isAll && doubt.takenBackAt - doubt.since > DOUBT) {
        this.doubts.delete(doubt);
      }
    }
  }
}

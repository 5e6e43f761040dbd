import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimRequest } from '../../store/claim/claim-strategy.js';
import { returnClaim } from '../../store/claim/return-claim.js';

/** How long a commit may go on in the server after its connection broke, in ms. It may wait for a replica. */
const UNCERTAIN_FOR = 60_000;

/** How often the jobs of an uncertain claim are returned, in ms. */
export const RETURN_INTERVAL = 1_000;

/** A claim that may or may not have taken jobs. */
interface UncertainClaim {
  readonly request: ClaimRequest;
  readonly since: number;
  returnedAt: number;
}

/**
 * Claims whose outcome is unknown. Their jobs are returned until the statement can no longer be running.
 *
 * Without that they would run only after this worker's lease, which it keeps renewing. Other claims need not wait: each
 * claim has a number of its own.
 */
export class UncertainClaims {
  private readonly claims = new Set<UncertainClaim>();

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
  ) {}

  get hasAny(): boolean {
    return this.claims.size > 0;
  }

  addClaim(request: ClaimRequest): void {
    this.claims.add({ request, since: performance.now(), returnedAt: -Infinity });
  }

  /**
   * Returns the jobs of claims that are due. Never rejects: after a failure, which may take long, the rest waits for
   * the next call.
   *
   * @param isStopped whether the worker is about to deregister: then the reaper frees the remaining jobs.
   */
  async returnDueClaims(isStopped: () => boolean): Promise<void> {
    for (const claim of this.claims) {
      if (isStopped()) {
        return;
      }
      if (performance.now() - claim.returnedAt < RETURN_INTERVAL) {
        continue;
      }
      const options = { purpose: 'return the jobs of a claim', atomic: true };
      let isComplete: boolean;
      try {
        isComplete = await this.engine.execute((dialect) => returnClaim(dialect, claim.request), options);
      } catch (error) {
        logError(this.logger, 'The jobs of a failed claim could not be returned; the worker tries again', error);
        return;
      } finally {
        claim.returnedAt = performance.now();
      }
      if (isComplete && claim.returnedAt - claim.since > UNCERTAIN_FOR) {
        this.claims.delete(claim);
      }
    }
  }
}

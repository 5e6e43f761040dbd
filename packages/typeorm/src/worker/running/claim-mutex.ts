/** Serializes the claims of a worker and can block them for a moment. */
export class ClaimMutex {
  private blocked: Promise<void> | undefined;
  private current: Promise<void> = Promise.resolve();

  /** Runs a claim as soon as claims are not blocked. */
  async runClaim(claim: () => Promise<void>): Promise<void> {
    while (this.blocked) {
      await this.blocked;
    }
    this.current = claim();
    await this.current;
  }

  /**
   * Blocks claims. Resolves when the jobs of a claim under way have started. One caller at a time.
   *
   * @returns unblocks claims. Idempotent.
   */
  async blockClaims(): Promise<() => void> {
    let unblock = (): void => undefined;
    this.blocked = new Promise((resolve) => {
      unblock = () => {
        this.blocked = undefined;
        resolve();
      };
    });
    await this.current.catch(() => undefined);
    return unblock;
  }
}

/** Through which all claims of a worker go, one at a time; somebody may keep them back for a moment. */
export class ClaimMutex {
  private closed: Promise<void> | undefined;
  private underWay: Promise<void> = Promise.resolve();

  /** Claims as soon as nobody keeps claims back. */
  async pass(claim: () => Promise<void>): Promise<void> {
    while (this.closed) {
      await this.closed;
    }
    this.underWay = claim();
    await this.underWay;
  }

  /**
   * Keeps claims back. Resolves when the one under way has handed its jobs over. One at a time.
   *
   * @returns what lets claims go on. Idempotent.
   */
  async close(): Promise<() => void> {
    let open = (): void => undefined;
    this.closed = new Promise((resolve) => {
      open = () => {
        this.closed = undefined;
        resolve();
      };
    });
    await this.underWay.catch(() => undefined);
    return open;
  }
}

/** The current delay and speed of the network. */
export class NetworkConditions {
  /** How late data arrives, in each direction, in ms. */
  delay = 0;
  /** The speed of each direction of each connection. */
  bytesPerSecond = Infinity;
  private readonly waits = new Map<NodeJS.Timeout, () => void>();

  /** Restores the normal network. Waiting data is sent at once. */
  heal(): void {
    this.delay = 0;
    this.bytesPerSecond = Infinity;
    for (const [timer, resolve] of this.waits) {
      clearTimeout(timer);
      resolve();
    }
    this.waits.clear();
  }

  async wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          this.waits.delete(timer);
          resolve();
        }, milliseconds);
        this.waits.set(timer, resolve);
      });
    }
  }
}

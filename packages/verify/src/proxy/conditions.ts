/** What the network is like at the moment. */
export class Conditions {
  /** How long everything is on its way, in ms. */
  delay = 0;
  /** How fast it goes on, in each direction of each connection. */
  bytesPerSecond = Infinity;
  private readonly waits = new Map<NodeJS.Timeout, () => void>();

  /** Good again; what waits goes on at once. */
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

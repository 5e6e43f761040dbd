/** How many jobs of all queues together one worker may still start. */
export class WorkerCapacity {
  private running = 0;

  /**
   * @param concurrency Infinity where only the queues have limits.
   * @param onFreed called when a queue of the worker may claim more than before.
   */
  constructor(
    private readonly concurrency: number,
    readonly onFreed: () => void,
  ) {}

  get free(): number {
    return this.concurrency - this.running;
  }

  acquire(): void {
    this.running++;
  }

  release(): void {
    this.running--;
    this.onFreed();
  }
}

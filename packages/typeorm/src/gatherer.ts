import { isDatabaseAway } from './errors/index.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes what is added in batches: while one is being written the next one gathers. Nothing waits for a timer,
 * so a single item is written at once, and the busier it gets the larger the batches become.
 */
export class Gatherer<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private isWriting = false;
  private isPlanned = false;

  /**
   * @param write writes a batch and returns one result for each item, in the same order.
   * @param largest how many items a batch has at most.
   * @param schedule how long the first item waits for others: `process.nextTick`, for those that are added before any
   *   I/O, or `setImmediate`, for a whole turn of the event loop.
   */
  constructor(
    private readonly write: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly largest: number,
    private readonly schedule: (callback: () => void) => unknown,
  ) {}

  /** Adds an item; settles when its batch is written. */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.plan();
    });
  }

  private plan(): void {
    if (!this.isPlanned && !this.isWriting) {
      this.isPlanned = true;
      this.schedule(() => {
        this.isPlanned = false;
        void this.writeWaiting();
      });
    }
  }

  private async writeWaiting(): Promise<void> {
    this.isWriting = true;
    await this.settle(this.waiting.splice(0, this.largest));
    this.isWriting = false;
    if (this.waiting.length > 0) {
      this.plan();
    }
  }

  private async settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length === 1 || isDatabaseAway(error)) {
        batch.forEach(({ reject }) => reject(error));
        return;
      }
      // Items that only share a batch must not share a failure.
      for (const waiting of batch) {
        await this.settle([waiting]);
      }
    }
  }
}

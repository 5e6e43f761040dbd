import { isDatabaseUnavailable } from '../errors/index.js';

/** Receives the result of an item: one of these is called, once. They must not throw. */
export interface Waiter<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A class, not a literal: see docs/decisions/0032. */
class Waiting<Item, Result> {
  constructor(
    readonly item: Item,
    readonly waiter: Waiter<Result>,
  ) {}
}

/**
 * Writes items in batches: while one batch is written the next one fills. No item waits for a timer, so a single item
 * is written at once, and batches grow with the load.
 */
export class Batcher<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private writing = 0;
  private isScheduled = false;

  /**
   * @param write writes a batch and returns one result for each item, in the same order. With `isRetry` the outcome
   *   of an earlier try is unknown.
   * @param maxSize how many items a batch has at most.
   * @param schedule how long the first item waits for others: `process.nextTick`, for those that are added before any
   *   I/O, or `setImmediate`, for a whole turn of the event loop.
   * @param concurrency how many batches are written at a time at most.
   * @param minSize how many items another batch has at least while one is written, so that few items share a commit.
   */
  constructor(
    private readonly write: (items: readonly Item[], isRetry: boolean) => Promise<readonly Result[]>,
    private readonly maxSize: number,
    private readonly schedule: (callback: () => void) => unknown,
    private readonly concurrency = 1,
    private readonly minSize = maxSize,
  ) {}

  /** Adds an item. Resolves when its batch is written. */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => this.addFor(item, { resolve, reject }));
  }

  /** The same without a promise for each item. */
  addFor(item: Item, waiter: Waiter<Result>): void {
    this.waiting.push(new Waiting(item, waiter));
    this.scheduleWrite();
  }

  private scheduleWrite(): void {
    if (!this.isScheduled && this.mayWrite) {
      this.isScheduled = true;
      this.schedule(() => {
        this.isScheduled = false;
        void this.writeWaiting();
      });
    }
  }

  private get mayWrite(): boolean {
    const mayWriteAnother = this.writing < this.concurrency && this.waiting.length >= this.minSize;
    return this.waiting.length > 0 && (this.writing === 0 || mayWriteAnother);
  }

  private async writeWaiting(): Promise<void> {
    const batch = this.waiting.splice(0, this.maxSize);
    this.writing++;
    this.scheduleWrite();
    await this.writeBatch(batch);
    this.writing--;
    this.scheduleWrite();
  }

  private async writeBatch(batch: readonly Waiting<Item, Result>[], isRetry = false): Promise<void> {
    let results: readonly Result[];
    try {
      results = await this.write(
        batch.map(({ item }) => item),
        isRetry,
      );
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnavailable(error)) {
        batch.forEach(({ waiter }) => waiter.reject(error));
        return;
      }
      // One item must not make the others of its batch fail.
      for (const waiting of batch) {
        await this.writeBatch([waiting], true);
      }
      return;
    }
    batch.forEach(({ waiter }, index) => waiter.resolve(results[index] as Result));
  }
}

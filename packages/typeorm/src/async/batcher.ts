import { isDatabaseUnavailable } from '../errors/index.js';

/** Who is told what came of an item: exactly one of these, once. They must not throw. */
export interface Waiter<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A class because there is one for each running job, see `JobOfRow`. */
class Waiting<Item, Result> {
  constructor(
    readonly item: Item,
    readonly waiter: Waiter<Result>,
  ) {}
}

/**
 * Writes what is added in batches: while one is being written the next one gathers. Nothing waits for a timer,
 * so a single item is written at once, and the busier it gets the larger the batches become.
 */
export class Batcher<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private writing = 0;
  private isPlanned = false;

  /**
   * @param write writes a batch and returns one result for each item, in the same order. `again`: its item was in a batch
   *   that has failed, of which nobody knows what has taken effect.
   * @param largest how many items a batch has at most.
   * @param schedule how long the first item waits for others: `process.nextTick`, for those that are added before any
   *   I/O, or `setImmediate`, for a whole turn of the event loop.
   * @param writers how many batches are written at a time at most.
   * @param enough how many items another batch begins with at least while one is being written: items that trickle in
   *   still share their commits.
   */
  constructor(
    private readonly write: (items: readonly Item[], again: boolean) => Promise<readonly Result[]>,
    private readonly largest: number,
    private readonly schedule: (callback: () => void) => unknown,
    private readonly writers = 1,
    private readonly enough = largest,
  ) {}

  /** Adds an item; settles when its batch is written. */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => this.addFor(item, { resolve, reject }));
  }

  /** The same for those who come by the ten thousand a second, and need no promise for each. */
  addFor(item: Item, waiter: Waiter<Result>): void {
    this.waiting.push(new Waiting(item, waiter));
    this.plan();
  }

  private plan(): void {
    if (!this.isPlanned && this.mayWrite) {
      this.isPlanned = true;
      this.schedule(() => {
        this.isPlanned = false;
        void this.writeWaiting();
      });
    }
  }

  private get mayWrite(): boolean {
    const mayWriteBeside = this.writing < this.writers && this.waiting.length >= this.enough;
    return this.waiting.length > 0 && (this.writing === 0 || mayWriteBeside);
  }

  private async writeWaiting(): Promise<void> {
    const batch = this.waiting.splice(0, this.largest);
    this.writing++;
    this.plan();
    await this.settle(batch);
    this.writing--;
    this.plan();
  }

  private async settle(batch: readonly Waiting<Item, Result>[], again = false): Promise<void> {
    let results: readonly Result[];
    try {
      results = await this.write(
        batch.map(({ item }) => item),
        again,
      );
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnavailable(error)) {
        batch.forEach(({ waiter }) => waiter.reject(error));
        return;
      }
      // Items that only share a batch must not share a failure.
      for (const waiting of batch) {
        await this.settle([waiting], true);
      }
      return;
    }
    batch.forEach(({ waiter }, index) => waiter.resolve(results[index] as Result));
  }
}

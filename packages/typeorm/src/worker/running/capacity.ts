import type { JobSlot } from './running-job.js';

/** How many jobs of all queues together one worker may still start. */
export class WorkerCapacity {
  private running = 0;

  /** @param concurrency Infinity where only the queues have limits. */
  constructor(readonly concurrency: number) {}

  get free(): number {
    return this.concurrency - this.running;
  }

  acquire(): void {
    this.running++;
  }

  release(): void {
    this.running--;
  }
}

/** How many jobs of one queue a worker may still start. */
export class QueueCapacity implements JobSlot {
  private running = 0;
  private uncompleted = 0;

  constructor(
    readonly queue: string,
    readonly concurrency: number,
    readonly weight: number,
    private readonly workerCapacity: WorkerCapacity,
    private readonly onFreed: () => void,
    private readonly onJobCompleted: () => void,
  ) {}

  /**
   * How many jobs may be claimed. A handler that ends frees its slot at once, while its outcome is still being written.
   * At most `concurrency` such outcomes count, or jobs would pile up beside a database that stalls. See decision 0015.
   */
  get free(): number {
    return Math.min(this.concurrency - this.running, 2 * this.concurrency - this.uncompleted, this.workerCapacity.free);
  }

  /** Whether no handler runs and no outcome is still being written. */
  get isIdle(): boolean {
    return this.running === 0 && this.uncompleted === 0;
  }

  /** Acquires the slot of a claimed job. */
  acquire(): void {
    this.running++;
    this.uncompleted++;
    this.workerCapacity.acquire();
  }

  onHandlerEnded(): void {
    this.running--;
    this.workerCapacity.release();
    this.onFreed();
  }

  onCompleted(): void {
    this.uncompleted--;
    this.onJobCompleted();
  }
}

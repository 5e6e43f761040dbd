import type { Progress } from './running-job.js';

/** The room one worker has for the jobs of all queues together. */
export class WorkerCapacity {
  private running = 0;

  /** @param concurrency Infinity where only the queues have limits. */
  constructor(readonly concurrency: number) {}

  get free(): number {
    return this.concurrency - this.running;
  }

  take(): void {
    this.running++;
  }

  give(): void {
    this.running--;
  }
}

/** The room one worker has for the jobs of one queue. */
export class QueueCapacity implements Progress {
  private running = 0;
  private unsettled = 0;

  constructor(
    readonly queue: string,
    readonly concurrency: number,
    readonly weight: number,
    private readonly shared: WorkerCapacity,
    private readonly onFreed: () => void,
    private readonly onSettled: () => void,
  ) {}

  /**
   * How many jobs may be claimed. A handler that has ended makes room at once, while its outcome is still being written
   * down; but no more than the queue's concurrency wait for that, or jobs would pile up beside a database that stalls.
   */
  get free(): number {
    return Math.min(this.concurrency - this.running, 2 * this.concurrency - this.unsettled, this.shared.free);
  }

  /** Whether no handler runs, and no outcome is still to be written down. */
  get areIdle(): boolean {
    return this.running === 0 && this.unsettled === 0;
  }

  /** A job was claimed. */
  take(): void {
    this.running++;
    this.unsettled++;
    this.shared.take();
  }

  /** Its handler has ended. */
  ended(): void {
    this.running--;
    this.shared.give();
    this.onFreed();
  }

  /** Its outcome is written down. */
  settled(): void {
    this.unsettled--;
    this.onSettled();
  }
}

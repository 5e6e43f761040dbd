/** The room one worker has for the jobs of one queue. */
export class QueueSlots {
  private taken = 0;
  /** Whether there may be ready jobs. False after a claim that came back short, until something hints at new ones. */
  mayHaveJobs = true;

  constructor(
    readonly queue: string,
    readonly concurrency: number,
  ) {}

  get free(): number {
    return this.concurrency - this.taken;
  }

  take(): void {
    this.taken++;
  }

  give(): void {
    this.taken--;
  }
}

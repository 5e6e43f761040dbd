/** The first wait, in ms. */
const FIRST_WAIT = 20;

/**
 * When an idle claimer looks again by itself: soon after jobs were found, ever later while none are, up to the poll
 * interval. Whatever else happens puts a look forward, never off, or a busy queue would keep the others from being
 * looked at.
 */
export class PollSchedule {
  private wait = FIRST_WAIT;
  private at = 0;

  /** @param longestWait in ms. */
  constructor(private readonly longestWait: number) {}

  get isDue(): boolean {
    return performance.now() >= this.at;
  }

  /** In ms. */
  get remaining(): number {
    return Math.max(0, this.at - performance.now());
  }

  /** All queues have been looked at. */
  polled(found: boolean): void {
    this.wait = found ? FIRST_WAIT : Math.min(this.wait * 2, this.longestWait);
    this.plan();
  }

  /** There are jobs about: look again soon. */
  sooner(): void {
    this.wait = FIRST_WAIT;
    this.at = Math.min(this.at, performance.now() + FIRST_WAIT);
  }

  /** It failed: leave the database alone for a while. */
  failed(): void {
    this.wait = this.longestWait;
    this.plan();
  }

  /** The jitter keeps the workers of many processes from looking at the same moment. */
  private plan(): void {
    this.at = performance.now() + this.wait * (0.75 + Math.random() / 2);
  }
}

import { PollCosts } from './poll-costs.js';

/** How long to wait between two looks while jobs are about, in ms. */
const BUSY_WAIT = 10;
/** How long a queue counts as busy after its last job, in ms. */
const STAYS_BUSY = 5_000;
/**
 * What lies between two looks of a worker that knows of jobs to claim: it only looks for those that come before them, and
 * every look keeps it from claiming. At least so many ms, or so many times what a look costs.
 */
const WORKING_WAIT = 100;
const WORKING_COST_FACTOR = 100;
/** What part of a wait is left to chance. */
const JITTER = 0.1;
/** How long to leave a database alone that has failed, in ms: it failed everybody at the same moment, so chance has half. */
const FAILURE_WAIT = 1_000;
const FAILURE_JITTER = 0.5;

/**
 * When a claimer looks for jobs by itself: soon while jobs are about, ever later while none are, up to the poll
 * interval, and never so often that looking itself becomes a load. Something that happens puts a look forward, never
 * off, or a busy queue would keep the others from being looked at.
 */
export class PollSchedule {
  private readonly costs = new PollCosts();
  /** An idle worker that starts looks at once, and then takes its time. */
  private wait: number;
  private lookedAt = -Infinity;
  private busyUntil = 0;
  private plannedAt = 0;
  /** When something that happened asks for a look. */
  private wantedAt = Infinity;

  /** @param longestWait in ms. */
  constructor(private readonly longestWait: number) {
    this.wait = longestWait;
  }

  /** @param isServed whether no queue needs a look for its jobs. */
  isDue(isServed: boolean): boolean {
    return this.remaining(isServed) <= 0;
  }

  private get at(): number {
    return Math.min(this.plannedAt, this.wantedAt);
  }

  /** How long until a look is due, in ms. */
  remaining(isServed = false): number {
    const wait = Math.max(WORKING_WAIT, this.costs.wait(WORKING_COST_FACTOR));
    const at = isServed ? Math.max(this.at, this.lookedAt + wait) : this.at;
    return Math.max(0, at - performance.now());
  }

  /** A look is being sent. What happens from now on it may not see. */
  begin(): void {
    this.wantedAt = Infinity;
  }

  /** A look has ended that began at a time and found something or nothing. */
  looked(since: number, found: boolean): void {
    const now = performance.now();
    this.lookedAt = now;
    this.costs.add(now - since);
    if (found) {
      this.stayBusy();
    } else if (now > this.busyUntil) {
      this.wait = Math.min(this.wait * 2, this.longestWait);
    }
    this.plan(this.wait, JITTER);
  }

  /** There are jobs about: look again soon. */
  sooner(): void {
    this.stayBusy();
    this.want(this.lookedAt + Math.max(this.wait, this.costs.wait()));
  }

  /** There are, or will be, jobs that only a look finds: in so many ms, or as soon as its cost allows. */
  within(milliseconds: number): void {
    this.want(Math.max(performance.now() + milliseconds, this.lookedAt + this.costs.wait()));
  }

  /** It failed: leave the database alone for a while. */
  failed(): void {
    this.lookedAt = performance.now();
    this.wantedAt = Infinity;
    this.wait = this.longestWait;
    this.plan(FAILURE_WAIT, FAILURE_JITTER);
  }

  private get shortestWait(): number {
    return Math.min(BUSY_WAIT, this.longestWait);
  }

  private stayBusy(): void {
    this.busyUntil = performance.now() + STAYS_BUSY;
    this.wait = this.shortestWait;
  }

  private want(at: number): void {
    this.wantedAt = Math.min(this.wantedAt, at);
  }

  /** The jitter keeps the workers of many processes from looking at the same moment. Never later than was asked for. */
  private plan(wait: number, jitter: number): void {
    this.plannedAt = this.lookedAt + Math.max(wait * (1 - Math.random() * jitter), this.costs.wait());
  }
}

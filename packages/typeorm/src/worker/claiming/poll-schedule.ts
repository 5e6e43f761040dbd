/** The time between two polls while jobs arrive, in ms. */
const BUSY_INTERVAL = 10;
/** How long a queue counts as busy after its last job, in ms. */
const STAYS_BUSY = 5_000;
/**
 * A worker that knows of jobs to claim polls only for jobs that sort before those, and each poll delays its claims. So
 * it polls at most once in this many ms, and in this many times what a poll costs.
 */
const WORKING_INTERVAL = 100;
const WORKING_COST_FACTOR = 100;
/** The random part of an interval. */
const JITTER = 0.1;
/** The pause after a failure, in ms. It hits all workers at the same moment, so half of it is random. */
const FAILURE_PAUSE = 1_000;
const FAILURE_JITTER = 0.5;
/**
 * Polls take at most a tenth of the time. On a busy machine a poll takes a millisecond, so this often decides how soon
 * the jobs of other processes are seen.
 */
const COST_FACTOR = 10;
/** The longest interval that costs can cause, in ms: a job that only a poll can find is found within two seconds. */
const LONGEST_COST_INTERVAL = 1_500;
/** The cheapest of so many polls counts: a single slow one may be this process's own fault. */
const COSTS_KEPT = 3;

/** What recent polls cost, and the interval that follows. */
export class PollCosts {
  private readonly latest: number[] = [];

  /** @param milliseconds how long a poll took. */
  addCost(milliseconds: number): void {
    this.latest.push(milliseconds);
    if (this.latest.length > COSTS_KEPT) {
      this.latest.shift();
    }
  }

  /** The least time between two polls, in ms; 0 before the first. */
  minimumInterval(factor = COST_FACTOR): number {
    const cost = this.latest.length === 0 ? 0 : Math.min(...this.latest);
    return Math.min(cost * factor, LONGEST_COST_INTERVAL);
  }
}

/**
 * When a claimer polls: soon while jobs arrive, later and later while none do, up to the poll interval, and never so
 * often that polls become a load. An event can bring a poll forward but never delays one, or a busy queue would keep
 * the others from being polled.
 */
export class PollSchedule {
  private readonly costs = new PollCosts();
  /** The first poll is due at once, the next after the poll interval. */
  private wait: number;
  private polledAt = -Infinity;
  private busyUntil = 0;
  private scheduledAt = 0;
  /** When an event asks for a poll. */
  private requestedAt = Infinity;

  /** @param pollInterval the longest wait of an idle claimer, in ms. */
  constructor(private readonly pollInterval: number) {
    this.wait = pollInterval;
  }

  private get dueAt(): number {
    return Math.min(this.scheduledAt, this.requestedAt);
  }

  /**
   * The time until the next poll is due, in ms.
   *
   * @param knowsJobs whether no queue needs a poll to find jobs.
   */
  remaining(knowsJobs = false): number {
    const interval = Math.max(WORKING_INTERVAL, this.costs.minimumInterval(WORKING_COST_FACTOR));
    const at = knowsJobs ? Math.max(this.dueAt, this.polledAt + interval) : this.dueAt;
    return Math.max(0, at - performance.now());
  }

  /** A poll is about to be sent. It may miss what happens from now on. */
  beginPoll(): void {
    this.requestedAt = Infinity;
  }

  /** A poll that was sent at `since` has returned. */
  onPolled(since: number, hasFoundJobs: boolean): void {
    const now = performance.now();
    this.polledAt = now;
    this.costs.addCost(now - since);
    if (hasFoundJobs) {
      this.stayBusy();
    } else if (now > this.busyUntil) {
      this.wait = Math.min(this.wait * 2, this.pollInterval);
    }
    this.schedulePoll(this.wait, JITTER);
  }

  /** Jobs have arrived: poll again soon. */
  pollSoon(): void {
    this.stayBusy();
    this.requestPollAt(this.polledAt + Math.max(this.wait, this.costs.minimumInterval()));
  }

  /** Only a poll can find the jobs that are, or become, ready: polls in so many ms, or as soon as the cost allows. */
  pollWithin(milliseconds: number): void {
    this.requestPollAt(Math.max(performance.now() + milliseconds, this.polledAt + this.costs.minimumInterval()));
  }

  /** A poll or claim failed: gives the database a pause. */
  onFailed(): void {
    this.polledAt = performance.now();
    this.requestedAt = Infinity;
    this.wait = this.pollInterval;
    this.schedulePoll(FAILURE_PAUSE, FAILURE_JITTER);
  }

  private stayBusy(): void {
    this.busyUntil = performance.now() + STAYS_BUSY;
    this.wait = Math.min(BUSY_INTERVAL, this.pollInterval);
  }

  private requestPollAt(at: number): void {
    this.requestedAt = Math.min(this.requestedAt, at);
  }

  /** The jitter keeps the workers of many processes from polling at the same moment. It never adds to the wait. */
  private schedulePoll(wait: number, jitter: number): void {
    this.scheduledAt = this.polledAt + Math.max(wait * (1 - Math.random() * jitter), this.costs.minimumInterval());
  }
}

import type { EnqueueNotice } from '../../queue/enqueue/enqueue-notifier.js';
import type { Claim } from '../../store/claim/claim-strategy.js';
import { MOST_CLAIMED } from '../../store/base/chunks.js';
import type { PollRequest, PollResult } from '../../store/claim/poll-queues.js';
import type { QueueMode } from '../../store/claim/signals.js';
import type { TenantLanes } from '../../store/claim/tenant-lanes.js';
import { Backlog } from './backlog.js';
import type { JobSlot } from '../running/running-job.js';
import { TenantRoundRobin } from './tenant-round-robin.js';
import type { WorkerCapacity } from './worker-capacity.js';

/** The pause after a claim that a limit cut short, in ms, unless a job of the queue ends here before. */
const THROTTLED_FOR = 100;
/** The longest such pause, in ms, however long the window of the rate limit lasts: the limit may be lifted. */
const LONGEST_THROTTLED_FOR = 750;
/**
 * The pause where only tenants are at their limit and this process has enqueued jobs: these may be another tenant's.
 */
const TENANTS_THROTTLED_FOR = 20;
/**
 * How often a worker with many queues polls for tenants, in ms, until it has seen some: polling each time made polls of
 * 50 queues half as slow again. The first job of a tenant is found within 1.5 s.
 */
const TENANT_POLL_INTERVAL = 1_500;
const FEW_QUEUES = 8;
/** How many jobs the first claim asks for; each full claim doubles it. Saves memory, see decision 0007. */
const FIRST_CLAIM_SIZE = 100;

/** A queue of a worker, with its settings. */
export interface ClaimedQueue {
  readonly name: string;
  /** How many of its jobs run at a time at most. */
  readonly concurrency: number;
  readonly weight: number;
}

/** One queue as its claimer sees it: the jobs it knows of, the free capacity, and the limits that throttle claims. */
export class QueueClaimState implements JobSlot {
  readonly name: string;
  readonly weight: number;
  private readonly concurrency: number;
  private running = 0;
  private uncompleted = 0;
  /** The jobs without a tenant. */
  readonly backlog = new Backlog();
  /** The jobs with a tenant. */
  readonly tenants = new TenantRoundRobin();
  private tenantPollDueAt = -Infinity;
  private readonly tenantPollInterval: number;
  mode: QueueMode = 'open';
  private throttledUntil = 0;
  /** Whether a rate throttles claims: then the end of a job changes nothing. */
  private waitsForTokens = false;
  /** Whether jobs were claimed since the queue was last drained. */
  private hasClaimedJobs = false;
  /** How many jobs a claim asks for at most. */
  private claimSize = FIRST_CLAIM_SIZE;
  private wasIdleAtPoll = false;
  /** To when an enqueue shortens the throttling; Infinity where it changes nothing. */
  private tenantsThrottledUntil = Infinity;

  /** @param queues how many queues the worker has. */
  constructor(
    { name, concurrency, weight }: ClaimedQueue,
    private readonly workerCapacity: WorkerCapacity,
    queues: number,
  ) {
    this.name = name;
    this.concurrency = concurrency;
    this.weight = weight;
    this.tenantPollInterval = queues > FEW_QUEUES ? TENANT_POLL_INTERVAL : 0;
  }

  /**
   * How many jobs may be claimed. A handler that ends frees its slot at once, while its outcome is still being written.
   * At most `concurrency` such outcomes count, or jobs would pile up beside a database that stalls. See decision 0015.
   */
  get free(): number {
    return Math.min(this.concurrency - this.running, 2 * this.concurrency - this.uncompleted, this.workerCapacity.free);
  }

  /** A claimed job starts. */
  acquireSlot(): void {
    this.running++;
    this.uncompleted++;
    this.workerCapacity.acquire();
  }

  onHandlerEnded(): void {
    this.running--;
    this.workerCapacity.release();
  }

  onCompleted(): void {
    this.uncompleted--;
    if (this.mode === 'limited' && !this.waitsForTokens) {
      // The limit allows another job.
      this.throttledUntil = 0;
    }
    this.workerCapacity.onFreed();
  }

  /** Whether a poll would change nothing: claims are throttled, no slot is free, or jobs are known. */
  get needsNoPoll(): boolean {
    return this.isThrottled || this.free === 0 || this.hasJobs;
  }

  /** Whether there are jobs to claim, as far as is known. */
  private get hasJobs(): boolean {
    return this.backlog.expected > 0 || this.tenants.isClaimable;
  }

  get isThrottled(): boolean {
    return this.mode === 'paused' || this.throttledFor > 0;
  }

  /** For how much longer a limit throttles claims, in ms. */
  get throttledFor(): number {
    return Math.max(0, this.throttledUntil - performance.now());
  }

  get canClaim(): boolean {
    return this.free > 0 && this.hasJobs && !this.isThrottled;
  }

  /** The time before there can be something to claim, in ms; 0 where it is unknown. */
  get claimableIn(): number {
    return this.hasJobs || this.tenants.claimableIn === Infinity
      ? this.throttledFor
      : Math.max(this.throttledFor, this.tenants.claimableIn);
  }

  /** The tenant lanes to claim from; undefined where no jobs of tenants are known. */
  get nextLanes(): TenantLanes | undefined {
    return this.tenants.nextLanes(this.backlog.expected > 0 ? this.backlog.from : undefined);
  }

  /** How many jobs the next claim may ask for. */
  get claimLimit(): number {
    return Math.min(this.free, this.tenants.isClaimable ? Infinity : this.backlog.expected, this.claimSize);
  }

  /**
   * This process has enqueued jobs.
   *
   * @returns whether some can be claimed, as far as is known.
   */
  addEnqueued({ ready, lanes, lowestPriority }: Pick<EnqueueNotice, 'ready' | 'lanes' | 'lowestPriority'>): boolean {
    if (ready > 0) {
      this.backlog.addEnqueued(ready, lowestPriority);
    }
    const areClaimable = this.tenants.addLanes(lanes);
    this.throttledUntil = Math.min(this.throttledUntil, this.tenantsThrottledUntil);
    return ready > 0 || areClaimable;
  }

  /** Whether a poll has found jobs that can be claimed now. */
  isClaimable({ ready, hasTenants }: PollResult): boolean {
    return (ready > 0 || (hasTenants === true && !this.tenants.areLimited)) && !this.isThrottled;
  }

  /** A poll is about to be sent. Returns what it asks for this queue. */
  beginPoll(): PollRequest {
    this.backlog.beginPoll();
    this.tenants.beginPoll();
    this.wasIdleAtPoll = this.running === 0 && this.uncompleted === 0;
    // When more jobs are known than can be claimed, the first is enough: it may sort before the low-water mark.
    const limit = this.backlog.expected === Infinity ? 1 : Math.max(1, Math.min(this.free, MOST_CLAIMED));
    const now = performance.now();
    const withTenants = this.tenants.hasSeenTenants || now >= this.tenantPollDueAt;
    if (withTenants) {
      this.tenantPollDueAt = now + this.tenantPollInterval;
    }
    return { queue: this.name, limit, withTenants };
  }

  /** Jobs may have become ready, perhaps of tenants: the next poll asks for tenants too. */
  requestTenantPoll(): void {
    this.tenantPollDueAt = -Infinity;
  }

  /** A poll has counted up to a limit. */
  applyPoll(sight: PollResult, limit: number): void {
    this.backlog.applyPoll(sight, limit);
    if (sight.hasTenants !== undefined) {
      this.tenants.applyPoll(sight.hasTenants);
    }
  }

  /**
   * Whether a poll, after `applyPoll`, shows that the queue has just become empty and idle here. True once for all jobs
   * claimed before. A job that ran during the poll may have become ready again since.
   */
  becomesDrained({ ready, hasTenants, dueIn = Infinity }: PollResult): boolean {
    const isEmpty = ready === 0 && hasTenants === false && dueIn > 0 && !this.hasJobs;
    const becomesEmpty = this.hasClaimedJobs && this.wasIdleAtPoll && isEmpty;
    this.hasClaimedJobs &&= !becomesEmpty;
    return becomesEmpty;
  }

  beginClaim(): void {
    this.backlog.beginClaim();
    this.tenants.beginClaim();
  }

  applyClaim({ jobs, admitted, retryIn, roundRobin }: Claim, wanted: number): void {
    const now = performance.now();
    this.hasClaimedJobs ||= jobs.length > 0;
    if (jobs.length >= this.claimSize) {
      this.claimSize = Math.min(2 * this.claimSize, MOST_CLAIMED);
    }
    if (roundRobin) {
      const others = jobs.filter(({ tenant }) => tenant === null);
      const areAll = roundRobin.isExhausted || (roundRobin.visited.has(0) && roundRobin.visited.get(0) === undefined);
      this.backlog.applyClaim(others, areAll ? Infinity : others.length);
      this.tenants.applyClaim(roundRobin);
    } else {
      this.backlog.applyClaim(jobs, admitted);
    }
    if (admitted < wanted || roundRobin?.isFull) {
      this.throttledUntil = now + Math.min(retryIn ?? THROTTLED_FOR, LONGEST_THROTTLED_FOR);
      this.waitsForTokens = retryIn !== undefined;
      this.tenantsThrottledUntil = admitted < wanted ? Infinity : now + TENANTS_THROTTLED_FOR;
    }
  }

  /** Expired jobs that a claim has met are ended: it may have had capacity for those behind them. */
  onExpired({ jobs, admitted }: Claim): void {
    if (jobs.length < admitted) {
      this.throttledUntil = 0;
    }
  }

  /** Forgets everything: a statement failed. */
  reset(): void {
    this.backlog.reset();
    this.tenants.reset();
  }
}

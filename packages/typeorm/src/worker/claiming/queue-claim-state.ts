import type { EnqueueNotice } from '../../queue/enqueue/enqueue-notifier.js';
import type { Claim } from '../../store/claim/claim-strategy.js';
import { MOST_CLAIMED } from '../../store/base/chunks.js';
import type { PollRequest, PollResult } from '../../store/claim/poll-queues.js';
import type { QueueMode } from '../../store/claim/signals.js';
import type { LaneLook } from '../../store/claim/tenant-lanes.js';
import { Backlog } from './backlog.js';
import type { QueueCapacity } from '../running/capacity.js';
import { TenantRoundRobin } from './tenant-round-robin.js';

/** How long a queue that is full in all processes is left alone, in ms, unless one of its jobs ends here. */
const HELD_BACK = 100;
/** The same at most, in ms, however long the window of its rate lasts: the limit may be lifted. */
const LONGEST_HELD_BACK = 750;
/** The same where only tenants are full and this process has enqueued jobs, in ms: they may be another's. */
const HELD_BACK_BY_TENANTS = 20;
/**
 * How long a worker with more than a few queues does not ask again whether there are jobs of tenants, in ms, until it has
 * seen some or something has happened: with 50 queues asking in each look made it a half slower. The first one of all is
 * so found within 1.5 s, or by the next look where looks are rarer.
 */
const BETWEEN_TENANT_LOOKS = 1_500;
const FEW_QUEUES = 8;
/**
 * How many jobs a claim asks for at first; twice as many each time it brings as many. With a first claim of 800, 5 of 12
 * drains took 170 MB in place of 120, with this none of 14 (see docs/decisions.md).
 */
const FIRST_CLAIM = 100;

/** One queue as its claimer sees it: what is known of its jobs, the room for them, and what holds them back. */
export class QueueClaimState {
  /** What is known of the jobs without a tenant, and of the others. */
  readonly backlog = new Backlog();
  readonly turns = new TenantRoundRobin();
  private tenantLookDueAt = -Infinity;
  private readonly betweenTenantLooks: number;
  mode: QueueMode = 'open';
  private heldBackUntil = 0;
  /** Whether jobs were claimed since it was last found empty. */
  private hasBroughtJobs = false;
  /** How many jobs a claim asks for at most. */
  private most = FIRST_CLAIM;
  private wasIdleAtLook = false;
  /** What jobs of other tenants that come shorten the pause to: they may be of one that is full too. Infinity: nothing. */
  private tenantsHeldBackUntil = Infinity;

  /** @param queues how many the worker has in all. */
  constructor(
    readonly slots: QueueCapacity,
    queues: number,
  ) {
    this.betweenTenantLooks = queues > FEW_QUEUES ? BETWEEN_TENANT_LOOKS : 0;
  }

  get name(): string {
    return this.slots.queue;
  }

  /** Whether a look need not look for jobs here: claims are held back, there is no room for any, or some are known. */
  get isServed(): boolean {
    return this.isHeldBack || this.slots.free === 0 || this.hasJobs;
  }

  /** Whether jobs are known. */
  private get hasJobs(): boolean {
    return this.backlog.expected > 0 || this.turns.areKnown;
  }

  /** Whether its jobs must not be claimed now, however many there are. */
  get isHeldBack(): boolean {
    return this.mode === 'paused' || this.heldBackFor > 0;
  }

  /** How much longer the limits hold it back, in ms. */
  get heldBackFor(): number {
    return Math.max(0, this.heldBackUntil - performance.now());
  }

  get canClaim(): boolean {
    return this.slots.free > 0 && this.hasJobs && !this.isHeldBack;
  }

  /** How long it is at least before there may be something to claim, in ms; 0 where that is not known. */
  get waitsFor(): number {
    return this.hasJobs || this.turns.lookIn === Infinity
      ? this.heldBackFor
      : Math.max(this.heldBackFor, this.turns.lookIn);
  }

  /** The lanes to claim from; undefined where no jobs of tenants are known. */
  get nextTurns(): LaneLook | undefined {
    return this.turns.next(this.backlog.expected > 0 ? this.backlog.from : undefined);
  }

  /** How many jobs to ask for. */
  get wanted(): number {
    return Math.min(this.slots.free, this.turns.areKnown ? Infinity : this.backlog.expected, this.most);
  }

  /**
   * This process has stored jobs.
   *
   * @returns whether some are ready.
   */
  rung({ ready, lanes, lowestPriority }: Pick<EnqueueNotice, 'ready' | 'lanes' | 'lowestPriority'>): boolean {
    if (ready > 0) {
      this.backlog.add(ready, lowestPriority);
    }
    this.turns.add(lanes);
    this.heldBackUntil = Math.min(this.heldBackUntil, this.tenantsHeldBackUntil);
    return ready > 0 || lanes.length > 0;
  }

  /** Whether a look has seen jobs that may be claimed. */
  hasSeenJobs({ ready, hasTenants }: PollResult): boolean {
    return (ready > 0 || hasTenants === true) && !this.isHeldBack;
  }

  /** A look is being sent: for this. */
  beginLook(): PollRequest {
    this.backlog.beginLook();
    this.turns.beginLook();
    this.wasIdleAtLook = this.slots.areIdle;
    const { free } = this.slots;
    // Where there is more than can be taken, the first is enough: it may stand before the mark.
    const limit = this.backlog.expected === Infinity ? 1 : Math.max(1, Math.min(free, MOST_CLAIMED));
    const now = performance.now();
    const withTenants = this.turns.wereSeen || now >= this.tenantLookDueAt;
    if (withTenants) {
      this.tenantLookDueAt = now + this.betweenTenantLooks;
    }
    return { queue: this.name, limit, withTenants };
  }

  /** Jobs have become ready here, maybe of tenants: the next look asks for these too. */
  hinted(): void {
    this.tenantLookDueAt = -Infinity;
  }

  /** A look has counted up to a limit. */
  see(sight: PollResult, limit: number): void {
    this.backlog.see(sight, limit);
    if (sight.hasTenants !== undefined) {
      this.turns.see(sight.hasTenants);
    }
  }

  /**
   * Whether what a look has seen, and `see` was told, means that the queue has just become empty and idle here: once
   * for all jobs that were claimed before. A job that ran while the look was under way may have become ready behind it.
   */
  becomesEmpty({ ready, hasTenants, dueIn = Infinity }: PollResult): boolean {
    const isEmpty = ready === 0 && hasTenants === false && dueIn > 0 && !this.hasJobs;
    const becomesEmpty = this.hasBroughtJobs && this.wasIdleAtLook && isEmpty;
    this.hasBroughtJobs &&= !becomesEmpty;
    return becomesEmpty;
  }

  beginClaim(): void {
    this.backlog.beginClaim();
    this.turns.beginClaim();
  }

  claimed({ jobs, admitted, retryIn, turns }: Claim, wanted: number): void {
    const now = performance.now();
    this.hasBroughtJobs ||= jobs.length > 0;
    if (jobs.length >= this.most) {
      this.most = Math.min(2 * this.most, MOST_CLAIMED);
    }
    if (turns) {
      const others = jobs.filter(({ tenant }) => tenant === null);
      const areAll = turns.bringsNoMore || (turns.left.has(0) && turns.left.get(0) === undefined);
      this.backlog.claimed(others, areAll ? Infinity : others.length);
      this.turns.claimed(turns);
    } else {
      this.backlog.claimed(jobs, admitted);
    }
    if (admitted < wanted || turns?.isFull) {
      this.heldBackUntil = now + Math.min(retryIn ?? HELD_BACK, LONGEST_HELD_BACK);
      this.tenantsHeldBackUntil = admitted < wanted ? Infinity : now + HELD_BACK_BY_TENANTS;
    }
  }

  /** Nothing is known any more. */
  forget(): void {
    this.backlog.forget();
    this.turns.forget();
  }

  /** One of its jobs was written down as ended, so there is room for another in all processes. */
  settled(): void {
    if (this.mode === 'limited') {
      this.heldBackUntil = 0;
    }
  }
}

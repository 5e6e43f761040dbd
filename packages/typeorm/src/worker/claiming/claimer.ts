import { WakeUp } from '../../async/wake-up.js';
import { ALERTS_QUEUE } from '../../definition/reserved-queues.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { EnqueueNotice } from '../../queue/enqueue/enqueue-notifier.js';
import type { Claim, ClaimRequest, ClaimStrategy } from '../../store/claim/claim-strategy.js';
import type { Lease } from '../liveness/lease.js';
import type { PoisonIsolation } from '../running/poison-isolation.js';
import { FairShares } from './fair-shares.js';
import { OrphanedJobs } from './orphaned-jobs.js';
import { PollSchedule } from './poll-schedule.js';
import { type ClaimedQueue, QueueClaimState } from './queue-claim-state.js';
import { type PollerDependencies, QueuePoller } from './queue-poller.js';
import { RETURN_INTERVAL, UncertainClaims } from './uncertain-claims.js';
import { WorkerCapacity } from './worker-capacity.js';

/** How often a claimer without a lease checks whether it has one again, in ms. */
const LEASE_CHECK_INTERVAL = 100;

/** What a claimer works with. */
export interface ClaimerDependencies extends PollerDependencies {
  readonly lease: Lease;
  readonly poisonIsolation: PoisonIsolation;
  readonly queues: readonly ClaimedQueue[];
  /** Ends jobs that a claim has found expired, and returns how many it has ended. */
  readonly expire: (ids: readonly Buffer[]) => Promise<number>;
  /** How many jobs run at a time at most, of all queues. Infinity where only the queues have limits. */
  readonly totalConcurrency: number;
  /** The longest wait of an idle claimer, in ms. */
  readonly pollInterval: number;
  readonly logger: QueueLogger;
}

/**
 * The one claimer of a worker: claims jobs for all free slots of a queue in one go, then those of the next queue.
 *
 * It claims where it knows of jobs: this process has enqueued them, or a poll has found them. One statement polls all
 * queues. Scheduled jobs that a poll finds due are made ready. While no slot is free it polls only for signals.
 */
export class Claimer {
  private readonly wakeUp = new WakeUp();
  private readonly uncertainClaims: UncertainClaims;
  private readonly orphans: OrphanedJobs;
  private readonly capacity: WorkerCapacity;
  private readonly queues: readonly QueueClaimState[];
  private readonly schedule: PollSchedule;
  private readonly shares = new FairShares<QueueClaimState>(({ weight }) => weight);
  private readonly poller: QueuePoller;
  private claimNumber = 0;
  private quiet = false;
  private stopped = false;
  private loop: Promise<void> | undefined;

  constructor(private readonly dependencies: ClaimerDependencies) {
    const { engine, logger, pollInterval, queues, totalConcurrency } = dependencies;
    this.uncertainClaims = new UncertainClaims(engine, logger);
    this.orphans = new OrphanedJobs(
      engine,
      queues.map(({ name }) => name),
      dependencies.lease.duration,
      dependencies.pool,
      logger,
    );
    this.schedule = new PollSchedule(pollInterval);
    this.capacity = new WorkerCapacity(totalConcurrency, () => this.wakeUp.wake());
    this.queues = queues.map((queue) => new QueueClaimState(queue, this.capacity, queues.length));
    this.poller = new QueuePoller(
      dependencies,
      this.queues,
      () => this.activeQueues,
      this.schedule,
      this.uncertainClaims,
    );
  }

  /** What the last check for orphaned jobs found. */
  get orphanedJobs(): OrphanedJobs['found'] {
    return this.orphans.found;
  }

  /** Whether it claims no jobs but alerts for now. */
  get isQuiet(): boolean {
    return this.quiet;
  }

  /** Claims no jobs but alerts until it is called with `false`. The jobs of a claim under way still start. */
  setQuiet(isQuiet: boolean): void {
    this.quiet = isQuiet;
    if (isQuiet) {
      this.dependencies.pool.callWaitingBatches();
    } else {
      // An idle worker may not have polled meanwhile: what its last poll found proves nothing.
      this.dependencies.failureDetector.reset();
      this.schedule.pollWithin(0);
    }
    this.wakeUp.wake();
  }

  start(strategy: ClaimStrategy): void {
    this.loop = this.run(strategy);
  }

  /** Stops claiming. Resolves when the jobs of a claim under way have started. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.wake();
    await this.loop;
  }

  /** This process has enqueued jobs. */
  onEnqueued(notice: EnqueueNotice): void {
    const queue = this.queueNamed(notice.queue);
    if (queue) {
      if (queue.addEnqueued(notice)) {
        this.schedule.pollSoon();
      }
      this.schedule.pollWithin(notice.dueIn);
      this.wakeUp.wake();
    }
  }

  /** A queue may have ready jobs that only a poll finds. */
  requestPoll(name: string): void {
    const queue = this.queueNamed(name);
    if (queue) {
      queue.requestTenantPoll();
      this.schedule.pollWithin(0);
      this.wakeUp.wake();
    }
  }

  /** The queues that jobs are claimed from now: of a quiet worker that of alerts, which may report that all are quiet. */
  private get activeQueues(): readonly QueueClaimState[] {
    return this.quiet ? this.queues.filter(({ name }) => name === ALERTS_QUEUE) : this.queues;
  }

  private queueNamed(name: string): QueueClaimState | undefined {
    return this.activeQueues.find((queue) => queue.name === name);
  }

  private async run(strategy: ClaimStrategy): Promise<void> {
    while (!this.stopped) {
      // Jobs that end in the same tick of the event loop cause one claim, not one each.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        await this.uncertainClaims.returnDueClaims(() => this.stopped);
        if (this.mayClaim) {
          await this.orphans.returnIfDue(this.dependencies.lease.owner);
          await this.poller.readSignalsIfDue();
        }
        await this.claimFromEach(strategy);
        if (this.mayClaim) {
          await this.poller.pollIfDue(() => this.stopped);
        }
      } catch (error) {
        logError(this.dependencies.logger, 'A claim failed and is tried again', error);
        this.queues.forEach((queue) => queue.reset());
        this.poller.onFailed();
        this.orphans.checkSoon();
      }
      if (!this.mayClaim || !this.activeQueues.some(({ canClaim }) => canClaim)) {
        await this.wakeUp.sleep(this.timeToSleep);
      }
    }
  }

  private get mayClaim(): boolean {
    return this.dependencies.lease.allowsClaims && !this.stopped;
  }

  /** In ms. */
  private get timeToSleep(): number {
    if (!this.dependencies.lease.allowsClaims) {
      return LEASE_CHECK_INTERVAL;
    }
    const queues = this.activeQueues;
    const waits = queues.map(({ claimableIn }) => claimableIn).filter((wait) => wait > 0);
    waits.push(this.orphans.dueIn);
    if (queues.some(({ free }) => free > 0)) {
      waits.push(this.poller.pollDueIn);
    }
    if (this.dependencies.pool.count > 0) {
      waits.push(this.poller.signalsDueIn);
    }
    if (this.uncertainClaims.hasAny) {
      waits.push(RETURN_INTERVAL);
    }
    return Math.min(Infinity, ...waits);
  }

  private async claimFromEach(strategy: ClaimStrategy): Promise<void> {
    const claimable = this.mayClaim ? this.activeQueues.filter(({ canClaim }) => canClaim) : [];
    const free = this.capacity.free;
    for (const queue of this.shares.orderByShare(claimable)) {
      await queue.tenants.pollIfDue(this.dependencies.engine, queue.name, queue.mode === 'limited');
      await this.dependencies.poisonIsolation.runClaim(async () => {
        // The queues before it may have left no slot. A share is a fraction of the capacity that was free for all of
        // them.
        if (this.mayClaim && this.activeQueues.includes(queue) && queue.canClaim) {
          const share = this.shares.shareOf(queue, claimable, free);
          await this.claimFrom(strategy, queue, Math.min(queue.claimLimit, share));
        }
      });
    }
  }

  private async claimFrom(strategy: ClaimStrategy, queue: QueueClaimState, limit: number): Promise<void> {
    const { engine, lease, pool } = this.dependencies;
    const request: ClaimRequest = {
      queue: queue.name,
      owner: lease.owner,
      number: ++this.claimNumber,
      limit,
      from: queue.backlog.from,
      isLimited: queue.mode === 'limited',
      tenantLanes: queue.nextLanes,
    };
    queue.beginClaim();
    let claim: Claim;
    try {
      claim = await strategy.claim(engine, request);
    } catch (error) {
      this.uncertainClaims.addClaim(request);
      throw error;
    }
    // When the lease was lost while the claim was under way, another worker may take these jobs at any moment.
    const isLost = () => !lease.allowsClaims || lease.owner !== request.owner;
    if (isLost()) {
      this.uncertainClaims.addClaim(request);
      return;
    }
    queue.applyClaim(claim, request.limit);
    if (claim.jobs.length > 0) {
      this.schedule.pollSoon();
    }
    this.shares.recordServed(queue, claim.jobs.length);
    if (pool.hasCancelled(claim.jobs)) {
      // A request that was read before the claim may belong to an earlier attempt: requests are deleted when the job is
      // retried. The jobs start even if reading fails.
      await this.poller.readSignals().catch((error: unknown) => {
        logError(this.dependencies.logger, 'Requests to cancel could not be read', error);
      });
      if (isLost()) {
        this.uncertainClaims.addClaim(request);
        return;
      }
    }
    for (const job of claim.jobs) {
      queue.acquireSlot();
      pool.startJob(job, queue);
    }
    if (this.capacity.free <= 0) {
      pool.callWaitingBatches();
    } else if (queue.free <= 0) {
      pool.callWaitingBatches(queue.name);
    }
    if (claim.expired.length > 0 && (await this.dependencies.expire(claim.expired)) > 0) {
      // There may be jobs behind them that this claim did not reach.
      queue.onExpired(claim);
      this.requestPoll(queue.name);
    }
  }
}

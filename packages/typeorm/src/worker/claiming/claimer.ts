import { logError } from '../../logger.js';
import type { EnqueueNotice } from '../../queue/enqueue/enqueue-notifier.js';
import type { Claim, ClaimRequest, ClaimStrategy } from '../../store/claim/claim-strategy.js';
import { type PollResult, pollQueues } from '../../store/claim/poll-queues.js';
import { type Signals, lookForSignals } from '../../store/claim/signals.js';
import { RETURN_INTERVAL, UncertainClaims } from './uncertain-claims.js';
import { QueueClaimState } from './queue-claim-state.js';
import type { ClaimerDependencies } from './claimer-dependencies.js';
import { FairShares } from './fair-shares.js';
import { PollSchedule } from './poll-schedule.js';
import { WakeUp } from '../../async/wake-up.js';

/** How often a claimer without a lease sees whether it has one again, in ms. */
const WITHOUT_LEASE = 100;

/** How old what is known of pauses, limits and cancelled jobs may be, in ms: all of them are to work within a second. */
export const SIGNALS_AGE = 750;

/**
 * The one claimer of a worker: takes jobs for all free slots of a queue at once, then those of the next queue.
 *
 * It claims where it knows of jobs: this process has enqueued them, or a look has seen them. It looks at all queues in
 * one statement, makes due jobs ready where it sees some, and asks nothing while no slot is free, but for what somebody
 * wants of it: see `store/signals.ts`.
 */
export class Claimer {
  private readonly wakeUp = new WakeUp();
  private readonly doubts: UncertainClaims;
  private readonly queues: readonly QueueClaimState[];
  private readonly schedule: PollSchedule;
  private readonly shares = new FairShares<QueueClaimState>(({ slots }) => slots.weight);
  private signalsReadAt = -Infinity;
  private claims = 0;
  private stopped = false;
  private loop: Promise<void> | undefined;

  constructor(private readonly parts: ClaimerDependencies) {
    this.doubts = new UncertainClaims(parts.engine, parts.logger);
    this.schedule = new PollSchedule(parts.pollInterval);
    this.queues = parts.slots.map((slots) => new QueueClaimState(slots, parts.slots.length));
  }

  start(strategy: ClaimStrategy): void {
    this.loop = this.run(strategy);
  }

  /** Claims nothing more. Resolves when a claim under way has handed its jobs over. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.loop;
  }

  /** This process has stored jobs. */
  rung(ring: EnqueueNotice): void {
    const queue = this.queueNamed(ring.queue);
    if (queue) {
      if (queue.rung(ring)) {
        this.schedule.sooner();
      }
      this.schedule.within(ring.dueIn);
      this.wakeUp.call();
    }
  }

  /** There may be jobs in a queue that only a look finds. */
  hint(name: string): void {
    const queue = this.queueNamed(name);
    if (queue) {
      queue.hinted();
      this.schedule.within(0);
      this.wakeUp.call();
    }
  }

  /** There is room for another job. */
  slotFreed(): void {
    this.wakeUp.call();
  }

  /** The outcome of a job is written down. */
  settled(name: string): void {
    this.queueNamed(name)?.settled();
    this.wakeUp.call();
  }

  private queueNamed(name: string): QueueClaimState | undefined {
    return this.queues.find((queue) => queue.name === name);
  }

  private async run(strategy: ClaimStrategy): Promise<void> {
    while (!this.stopped) {
      // Jobs that end in the same turn of the event loop make room for one claim, not for one each.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        await this.doubts.settle(() => this.stopped);
        await this.readSignalsIfDue();
        await this.claimFromEach(strategy);
        await this.lookIfDue();
      } catch (error) {
        logError(this.parts.logger, 'A claim failed and is tried again', error);
        this.queues.forEach((queue) => queue.forget());
        this.schedule.failed();
        this.signalsReadAt = performance.now();
        this.parts.deathWatch.forget();
      }
      if (!this.mayClaim || !this.queues.some(({ canClaim }) => canClaim)) {
        await this.wakeUp.sleep(this.longestSleep);
      }
    }
  }

  private get mayClaim(): boolean {
    return this.parts.lease.isHeld && !this.stopped;
  }

  /** Whether no queue needs a look for its jobs. */
  private get isServed(): boolean {
    return this.queues.every(({ isServed }) => isServed);
  }

  /** In ms; Infinity where only a slot that is freed changes anything. */
  private get longestSleep(): number {
    if (!this.parts.lease.isHeld) {
      return WITHOUT_LEASE;
    }
    const waits = this.queues.map(({ waitsFor }) => waitsFor).filter((wait) => wait > 0);
    if (this.queues.some(({ slots }) => slots.free > 0)) {
      waits.push(this.schedule.remaining(this.isServed));
    }
    if (this.parts.hasRunning()) {
      waits.push(Math.max(0, this.signalsReadAt + SIGNALS_AGE - performance.now()));
    }
    if (this.doubts.areAny) {
      waits.push(RETURN_INTERVAL);
    }
    return Math.min(Infinity, ...waits);
  }

  /** Every look brings them too, so this is for a worker that has not looked for a while. */
  private async readSignalsIfDue(): Promise<void> {
    const isDue = performance.now() >= this.signalsReadAt + SIGNALS_AGE;
    if (isDue && this.mayClaim && (this.parts.hasRunning() || this.queues.some(({ canClaim }) => canClaim))) {
      await this.readSignals();
    }
  }

  private async readSignals(): Promise<void> {
    const names = this.queues.map(({ name }) => name);
    const { deathWatch, engine } = this.parts;
    const watches = deathWatch.isDue;
    const since = performance.now();
    const look = { purpose: 'look for signals', readOnly: true };
    this.follow(await engine.execute((dialect) => lookForSignals(dialect, names, watches), look), since);
  }

  /** @param since when they were asked for. */
  private follow({ modes, cancelled, silence }: Signals, since: number): void {
    this.signalsReadAt = performance.now();
    for (const queue of this.queues) {
      queue.mode = modes.get(queue.name) ?? 'open';
    }
    this.parts.onCancelled(cancelled);
    const lookIn = silence && this.parts.deathWatch.saw(silence, since);
    if (lookIn !== undefined) {
      this.schedule.within(lookIn);
    }
  }

  /**
   * Looks at all queues, full ones too: a worker that is never idle would otherwise not see what stands before its mark.
   * While it sleeps because everything is full it does not look either.
   */
  private async lookIfDue(): Promise<void> {
    if (!this.schedule.isDue(this.isServed) || !this.mayClaim) {
      return;
    }
    const requests = this.queues.map((queue) => queue.beginLook());
    this.schedule.begin();
    const watches = this.parts.deathWatch.isDue;
    const since = performance.now();
    const { sights, signals } = await this.parts.engine.execute((dialect) => pollQueues(dialect, requests, watches), {
      purpose: 'look for jobs',
      readOnly: true,
    });
    this.follow(signals, since);
    const isBusy = sights.some((sight, index) => this.queues[index]?.hasSeenJobs(sight));
    this.schedule.looked(since, isBusy);
    for (const [index, sight] of sights.entries()) {
      const queue = this.queues[index] as QueueClaimState;
      queue.see(sight, requests[index]?.limit ?? 0);
      // What a claim has brought whose answer was lost will be ready again.
      if (!this.doubts.areAny && queue.becomesEmpty(sight)) {
        this.parts.onDrained(queue.name);
      }
      await this.promoteIfDue(queue, sight);
    }
  }

  /** One batch: there may be a million due, and other queues, and a stop, wait for this loop. */
  private async promoteIfDue(queue: QueueClaimState, { dueIn }: PollResult): Promise<void> {
    if (dueIn === undefined || this.stopped) {
      return;
    }
    if (dueIn > 0) {
      this.schedule.within(dueIn);
    } else if ((await this.parts.promote(queue.name)).moved > 0) {
      queue.hinted();
      this.schedule.within(0);
    }
    // Otherwise somebody else has locked it; the next look comes anyway.
  }

  private async claimFromEach(strategy: ClaimStrategy): Promise<void> {
    const asking = this.queues.filter(({ canClaim }) => canClaim);
    const room = this.parts.sharedRoom.free;
    for (const queue of this.shares.order(asking)) {
      await queue.turns.lookIfDue(this.parts.engine, queue.name);
      await this.parts.gate.pass(async () => {
        // What those before it have taken may have left no room, and a share is of what there was for all.
        if (this.mayClaim && queue.canClaim) {
          await this.claimFrom(strategy, queue, Math.min(queue.wanted, this.shares.shareOf(queue, asking, room)));
        }
      });
    }
  }

  private async claimFrom(strategy: ClaimStrategy, queue: QueueClaimState, limit: number): Promise<void> {
    const { engine, lease, onClaimed } = this.parts;
    const request: ClaimRequest = {
      queue: queue.name,
      owner: lease.owner,
      number: ++this.claims,
      limit,
      from: queue.backlog.from,
      isLimited: queue.mode === 'limited',
      turns: queue.nextTurns,
    };
    queue.beginClaim();
    let claim: Claim;
    try {
      claim = await strategy.claim(engine, request);
    } catch (error) {
      this.doubts.add(request);
      throw error;
    }
    // Where the lease was lost while the claim was under way, these jobs may be somebody else's any moment.
    const isLost = () => !lease.isHeld || lease.owner !== request.owner;
    if (isLost()) {
      this.doubts.add(request);
      return;
    }
    queue.claimed(claim, request.limit);
    if (claim.jobs.length > 0) {
      this.schedule.sooner();
    }
    this.shares.served(queue, claim.jobs.length);
    if (this.parts.mayBeCancelled(claim.jobs)) {
      // What was read before the claim may be about a run before: a request to cancel is deleted when its job is run
      // again. The claimed jobs are started whatever comes of it.
      await this.readSignals().catch((error: unknown) => {
        logError(this.parts.logger, 'Requests to cancel could not be read', error);
      });
      if (isLost()) {
        this.doubts.add(request);
        return;
      }
    }
    for (const job of claim.jobs) {
      queue.slots.take();
      onClaimed(job, queue.slots);
    }
  }
}

import type { Engine } from '../engine/engine.js';
import { type QueueLogger, logError } from '../logger.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import type { ClaimRequest, ClaimStrategy } from '../store/claim/claim-strategy.js';
import { takeBack } from '../store/claim/take-back.js';
import { MOST_IDS } from '../store/in-parts.js';
import type { Lease } from './lease.js';
import { PollSchedule } from './poll-schedule.js';
import type { QueueSlots } from './slots.js';
import { WakeUp } from './wake-up.js';

/**
 * How long a commit may go on in the server after its connection broke, in ms. It waits for no lock, but perhaps for a
 * replica.
 */
const DOUBT = 60_000;

/** What a claimer works with. */
export interface ClaimerParts {
  readonly engine: Engine;
  readonly strategy: ClaimStrategy;
  readonly lease: Lease;
  readonly slots: readonly QueueSlots[];
  /** The longest wait of an idle claimer, in ms. */
  readonly pollInterval: number;
  readonly logger: QueueLogger;
  /** Takes a claimed job over; the claimer has taken its slot. */
  readonly onClaimed: (job: ClaimedJob, slots: QueueSlots) => void;
}

/**
 * The one claimer of a worker: takes jobs for all free slots of a queue at once, then those of the next queue.
 *
 * It asks nothing while no slot is free, and a queue that gave less than it was asked for only when something hints at
 * new jobs: the bell, or the poll timer, which waits longer the longer nothing is found.
 */
export class Claimer {
  private readonly wakeUp = new WakeUp();
  private readonly inDoubt = new Map<ClaimRequest, number>();
  private claims = 0;
  private stopped = false;
  private loop: Promise<void> | undefined;

  private readonly schedule: PollSchedule;

  constructor(private readonly parts: ClaimerParts) {
    this.schedule = new PollSchedule(parts.pollInterval);
  }

  start(): void {
    this.loop = this.run();
  }

  /** Claims nothing more. Resolves when a claim under way has handed its jobs over. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.call();
    await this.loop;
  }

  /** There may be new jobs in a queue. */
  hint(queue: string): void {
    const slots = this.parts.slots.find((candidate) => candidate.queue === queue);
    if (slots) {
      slots.mayHaveJobs = true;
      this.schedule.sooner();
      this.wakeUp.call();
    }
  }

  /** A slot has become free. */
  slotFreed(slots: QueueSlots): void {
    if (slots.mayHaveJobs) {
      this.wakeUp.call();
    }
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const isPoll = this.schedule.isDue;
      if (isPoll) {
        this.setMayHaveJobs(true);
      }
      try {
        const found = (await this.claimOnce()) > 0;
        if (isPoll) {
          this.schedule.polled(found);
        } else if (found) {
          this.schedule.sooner();
        }
      } catch (error) {
        logError(this.parts.logger, 'A claim failed and is tried again', error);
        this.setMayHaveJobs(false);
        this.schedule.failed();
      }
      if (!this.canClaim) {
        await this.wakeUp.sleep(this.hasRoom ? this.schedule.remaining : Infinity);
      }
    }
  }

  private setMayHaveJobs(value: boolean): void {
    this.parts.slots.forEach((slots) => (slots.mayHaveJobs = value));
  }

  private get canClaim(): boolean {
    const { slots, lease } = this.parts;
    return lease.isHeld && slots.some(({ free, mayHaveJobs }) => free > 0 && mayHaveJobs);
  }

  /** Whether there is anything that waking up by itself is good for. */
  private get hasRoom(): boolean {
    return this.inDoubt.size > 0 || this.parts.slots.some(({ free }) => free > 0);
  }

  /** Asks each queue once. */
  private async claimOnce(): Promise<number> {
    await this.settleDoubts();
    let found = 0;
    for (const slots of this.parts.slots) {
      if (slots.mayHaveJobs && slots.free > 0 && this.parts.lease.isHeld && !this.stopped) {
        found += await this.claimFrom(slots);
      }
    }
    return found;
  }

  private async claimFrom(slots: QueueSlots): Promise<number> {
    const { engine, strategy, lease, onClaimed } = this.parts;
    const request: ClaimRequest = {
      queue: slots.queue,
      owner: lease.owner,
      number: ++this.claims,
      limit: Math.min(slots.free, MOST_IDS),
    };
    slots.mayHaveJobs = false;
    let jobs: ClaimedJob[];
    try {
      jobs = await strategy.claim(engine, request);
    } catch (error) {
      this.inDoubt.set(request, performance.now());
      throw error;
    }
    if (!lease.isHeld || lease.owner !== request.owner) {
      // The lease was lost while the claim was under way: these jobs may be somebody else's any moment.
      this.inDoubt.set(request, performance.now());
      return 0;
    }
    slots.mayHaveJobs ||= jobs.length >= request.limit;
    for (const job of jobs) {
      slots.take();
      onClaimed(job, slots);
    }
    return jobs.length;
  }

  /**
   * A claim that failed may have taken jobs, and on a broken connection it may even still be running. So its jobs are
   * handed back before anything else is claimed, and again until no statement can be under way any more.
   */
  private async settleDoubts(): Promise<void> {
    for (const [request, since] of this.inDoubt) {
      if (this.stopped) {
        // The worker is about to be forgotten, and the reaper finds what it leaves.
        return;
      }
      await this.parts.engine.execute((dialect) => takeBack(dialect, request), { purpose: 'take a claim back' });
      if (performance.now() - since > DOUBT) {
        this.inDoubt.delete(request);
      }
    }
  }
}

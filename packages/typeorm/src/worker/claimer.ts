import type { Engine } from '../engine/engine.js';
import { type QueueLogger, logError } from '../logger.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import type { ClaimRequest, ClaimStrategy } from '../store/claim/claim-strategy.js';
import { takeBack } from '../store/claim/take-back.js';
import type { Lease } from './lease.js';
import type { QueueSlots } from './slots.js';
import { WakeUp } from './wake-up.js';

/** The first wait of an idle claimer, in ms. It doubles up to the poll interval. */
const FIRST_WAIT = 20;
/** How long a statement may go on in the server after its connection broke, in ms: no claim waits for a lock. */
const DOUBT = 10_000;

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
  private wait = FIRST_WAIT;
  private stopped = false;
  private loop: Promise<void> | undefined;

  constructor(private readonly parts: ClaimerParts) {}

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
      this.wait = FIRST_WAIT;
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
      try {
        if ((await this.claimOnce()) > 0) {
          this.wait = FIRST_WAIT;
        }
      } catch (error) {
        logError(this.parts.logger, 'A claim failed and is tried again', error);
        await this.wakeUp.sleep(this.parts.pollInterval);
        continue;
      }
      if (!this.canClaim) {
        await this.idle();
      }
    }
  }

  private get canClaim(): boolean {
    const { slots, lease } = this.parts;
    return lease.isHeld && slots.some(({ free, mayHaveJobs }) => free > 0 && mayHaveJobs);
  }

  private async idle(): Promise<void> {
    const { slots, pollInterval } = this.parts;
    const timed = this.inDoubt.size > 0 || slots.some(({ free }) => free > 0);
    // The jitter keeps the workers of many processes from looking at the same moment.
    const called = this.stopped || (await this.wakeUp.sleep(timed ? this.wait * (0.75 + Math.random() / 2) : Infinity));
    if (!called) {
      this.wait = Math.min(this.wait * 2, pollInterval);
      slots.forEach((each) => (each.mayHaveJobs = true));
    }
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
    const request = { queue: slots.queue, owner: lease.owner, number: ++this.claims, limit: slots.free };
    slots.mayHaveJobs = false;
    let jobs: ClaimedJob[];
    try {
      jobs = await strategy.claim(engine, request);
    } catch (error) {
      slots.mayHaveJobs = true;
      this.inDoubt.set(request, performance.now());
      throw error;
    }
    slots.mayHaveJobs ||= jobs.length === request.limit;
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
      await this.parts.engine.execute((dialect) => takeBack(dialect, request), { purpose: 'take a claim back' });
      if (performance.now() - since > DOUBT) {
        this.inDoubt.delete(request);
      }
    }
  }
}

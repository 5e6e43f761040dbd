import type { Engine } from '../engine/engine.js';
import { type QueueLogger, logError } from '../logger.js';
import type { Ring } from '../queue/bell.js';
import type { ClaimedJob } from '../store/claimed-job.js';
import type { ClaimRequest, ClaimStrategy } from '../store/claim/claim-strategy.js';
import { takeBack } from '../store/claim/take-back.js';
import { MOST_IDS } from '../store/in-parts.js';
import type { Batch } from '../store/lane.js';
import { type Sight, lookForJobs } from '../store/look-for-jobs.js';
import { Backlog } from './backlog.js';
import type { Lease } from './lease.js';
import { LookSchedule } from './look-schedule.js';
import type { QueueSlots } from './slots.js';
import { WakeUp } from './wake-up.js';

/**
 * How long a commit may go on in the server after its connection broke, in ms. It waits for no lock, but perhaps for a
 * replica.
 */
const DOUBT = 60_000;

/** How often jobs of a doubtful claim are handed back, in ms. */
const BETWEEN_TAKE_BACKS = 1_000;

/** How often a claimer without a lease sees whether it has one again, in ms. */
const WITHOUT_LEASE = 100;

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
  /** Makes the first due jobs of a queue ready. */
  readonly promote: (queue: string) => Promise<Batch>;
}

/** A claim of which nobody knows whether it took jobs. */
interface Doubt {
  readonly request: ClaimRequest;
  readonly since: number;
  takenBackAt: number;
}

interface Lane {
  readonly slots: QueueSlots;
  readonly backlog: Backlog;
}

/**
 * The one claimer of a worker: takes jobs for all free slots of a queue at once, then those of the next queue.
 *
 * It claims where it knows of jobs: this process has enqueued them, or a look has seen them. It looks at all queues in
 * one statement, makes due jobs ready where it sees some, and asks nothing while no slot is free.
 */
export class Claimer {
  private readonly wakeUp = new WakeUp();
  private readonly doubts = new Set<Doubt>();
  private readonly lanes: readonly Lane[];
  private readonly schedule: LookSchedule;
  private claims = 0;
  private stopped = false;
  private loop: Promise<void> | undefined;

  constructor(private readonly parts: ClaimerParts) {
    this.schedule = new LookSchedule(parts.pollInterval);
    this.lanes = parts.slots.map((slots) => ({ slots, backlog: new Backlog() }));
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

  /** This process has stored jobs. */
  rung({ queue, ready, lowestPriority, dueIn }: Ring): void {
    const lane = this.lanes.find(({ slots }) => slots.queue === queue);
    if (!lane) {
      return;
    }
    if (ready > 0) {
      lane.backlog.add(ready, lowestPriority);
      this.schedule.sooner();
    }
    this.schedule.within(dueIn);
    this.wakeUp.call();
  }

  /** There may be jobs in a queue that only a look finds. */
  hint(queue: string): void {
    if (this.parts.slots.some((slots) => slots.queue === queue)) {
      this.schedule.within(0);
      this.wakeUp.call();
    }
  }

  /** There is room for another job. */
  slotFreed(): void {
    this.wakeUp.call();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      // Jobs that end in the same turn of the event loop make room for one claim, not for one each.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        await this.settleDoubts();
        await this.claimFromEach();
        await this.lookIfDue();
      } catch (error) {
        logError(this.parts.logger, 'A claim failed and is tried again', error);
        this.lanes.forEach(({ backlog }) => backlog.forget());
        this.schedule.failed();
      }
      if (!this.lanes.some((lane) => this.canClaim(lane))) {
        await this.wakeUp.sleep(this.longestSleep);
      }
    }
  }

  private canClaim({ slots, backlog }: Lane): boolean {
    return this.parts.lease.isHeld && !this.stopped && slots.free > 0 && backlog.expected > 0;
  }

  /** In ms; Infinity where only a slot that is freed changes anything. */
  private get longestSleep(): number {
    if (!this.parts.lease.isHeld) {
      return WITHOUT_LEASE;
    }
    const hasRoom = this.parts.slots.some(({ free }) => free > 0);
    return Math.min(hasRoom ? this.schedule.remaining : Infinity, this.doubts.size > 0 ? BETWEEN_TAKE_BACKS : Infinity);
  }

  /**
   * Looks at all lanes, full ones too: a worker that is never idle would otherwise not see what stands before its mark.
   * While it sleeps because everything is full it does not look either.
   */
  private async lookIfDue(): Promise<void> {
    const hasWork = this.lanes.every(({ slots, backlog }) => slots.free === 0 || backlog.expected > 0);
    if (!this.schedule.isDue(hasWork) || !this.parts.lease.isHeld || this.stopped) {
      return;
    }
    // Where there is more than can be taken, the first is enough: it may stand before the mark.
    const requests = this.lanes.map(({ slots: { queue, free }, backlog: { expected } }) => ({
      queue,
      limit: expected === Infinity ? 1 : Math.max(1, Math.min(free, MOST_IDS)),
    }));
    this.lanes.forEach(({ backlog }) => backlog.beginLook());
    this.schedule.begin();
    const since = performance.now();
    const sights = await this.parts.engine.execute((dialect) => lookForJobs(dialect, requests), {
      purpose: 'look for jobs',
      readOnly: true,
    });
    this.schedule.looked(
      since,
      sights.some(({ ready }) => ready > 0),
    );
    for (const [index, sight] of sights.entries()) {
      const { backlog, slots } = this.lanes[index] as Lane;
      backlog.see(sight, requests[index]?.limit ?? 0);
      await this.promoteIfDue(slots.queue, sight);
    }
  }

  /** One batch: there may be a million due, and other queues, and a stop, wait for this loop. */
  private async promoteIfDue(queue: string, { dueIn }: Sight): Promise<void> {
    if (dueIn === undefined || this.stopped) {
      return;
    }
    if (dueIn > 0) {
      this.schedule.within(dueIn);
    } else if ((await this.parts.promote(queue)).moved > 0) {
      this.schedule.within(0);
    }
    // Otherwise somebody else has locked it; the next look comes anyway.
  }

  private async claimFromEach(): Promise<void> {
    for (const lane of this.lanes) {
      if (this.canClaim(lane)) {
        await this.claimFrom(lane);
      }
    }
  }

  private async claimFrom({ slots, backlog }: Lane): Promise<void> {
    const { engine, strategy, lease, onClaimed } = this.parts;
    const request: ClaimRequest = {
      queue: slots.queue,
      owner: lease.owner,
      number: ++this.claims,
      limit: Math.min(slots.free, backlog.expected, MOST_IDS),
      from: backlog.from,
    };
    backlog.beginClaim();
    let jobs: ClaimedJob[];
    try {
      jobs = await strategy.claim(engine, request);
    } catch (error) {
      this.doubt(request);
      throw error;
    }
    if (!lease.isHeld || lease.owner !== request.owner) {
      // The lease was lost while the claim was under way: these jobs may be somebody else's any moment.
      this.doubt(request);
      return;
    }
    backlog.claimed(jobs, request.limit);
    if (jobs.length > 0) {
      this.schedule.sooner();
    }
    for (const job of jobs) {
      slots.take();
      onClaimed(job, slots);
    }
  }

  private doubt(request: ClaimRequest): void {
    this.doubts.add({ request, since: performance.now(), takenBackAt: -Infinity });
  }

  /**
   * A claim that failed may have taken jobs, and on a broken connection it may even still be running. So its jobs are
   * handed back before anything else is claimed, and again until no statement can be under way any more.
   */
  private async settleDoubts(): Promise<void> {
    for (const doubt of this.doubts) {
      if (this.stopped) {
        // The worker is about to be forgotten, and the reaper finds what it leaves.
        return;
      }
      if (performance.now() - doubt.takenBackAt < BETWEEN_TAKE_BACKS) {
        continue;
      }
      const { request } = doubt;
      await this.parts.engine.execute((dialect) => takeBack(dialect, request), { purpose: 'take a claim back' });
      doubt.takenBackAt = performance.now();
      if (doubt.takenBackAt - doubt.since > DOUBT) {
        this.doubts.delete(doubt);
      }
    }
  }
}

import type { Claim } from '../store/claim/claim-strategy.js';
import { MOST_IDS } from '../store/in-parts.js';
import type { QueueMode } from '../store/signals.js';
import { Backlog } from './backlog.js';
import type { QueueSlots } from './slots.js';

/** How long a queue that is full in all processes is left alone, in ms, unless one of its jobs ends here. */
const HELD_BACK = 100;
/** The same at most, in ms, however long the window of its rate lasts: the limit may be lifted. */
const LONGEST_HELD_BACK = 750;

/** One queue as its claimer sees it: what is known of its jobs, the room for them, and what holds them back. */
export class ClaimLane {
  readonly backlog = new Backlog();
  mode: QueueMode = 'open';
  private heldBackUntil = 0;

  constructor(readonly slots: QueueSlots) {}

  get queue(): string {
    return this.slots.queue;
  }

  /** Whether a look need not look for jobs here: there is no room for any, or some are known. */
  get isServed(): boolean {
    return this.isHeldBack || this.slots.free === 0 || this.backlog.expected > 0;
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
    return this.slots.free > 0 && this.backlog.expected > 0 && !this.isHeldBack;
  }

  /** How many jobs to ask for. */
  get wanted(): number {
    return Math.min(this.slots.free, this.backlog.expected, MOST_IDS);
  }

  claimed({ jobs, admitted, retryIn }: Claim, wanted: number): void {
    this.backlog.claimed(jobs, admitted);
    if (admitted < wanted) {
      this.heldBackUntil = performance.now() + Math.min(retryIn ?? HELD_BACK, LONGEST_HELD_BACK);
    }
  }

  /** One of its jobs was written down as ended, so there is room for another in all processes. */
  settled(): void {
    if (this.mode === 'limited') {
      this.heldBackUntil = 0;
    }
  }
}

import type { Engine } from '../../engine/engine.js';
import type { TurnsTaken } from '../../store/claim/claim-strategy.js';
import { LANE_HEAD, type SortKey } from '../../store/base/sort-key.js';
import { type LaneLook, type LaneStart, lookForLanes, stepsTo } from '../../store/claim/tenant-lanes.js';
import { PollCosts } from './poll-costs.js';

/** How many lanes are looked for at a time. */
const LANES_PER_LOOK = 200;

/**
 * What a claimer believes about the ready jobs of a queue's tenants: in which lanes there are some, from which place on,
 * and whose turn was last. The first two only save time, see `Backlog`; the last is what makes the turns fair. Processes do
 * not share it: each goes round from a place of its own, so each tenant has a turn in every round of every process.
 */
export class TenantRoundRobin {
  private last = Math.floor(Math.random() * 2 ** 32);
  private readonly lanes = new Map<number, SortKey>();
  /** Whether the lanes are all there are: there may be others behind them. */
  private isWhole = false;
  /**
   * Whether there are believed to be jobs of tenants, whatever lanes are known. It matters only while none is: then lanes
   * are to be looked for. This process's own enqueues make lanes known without it.
   */
  private known = false;
  private addedSinceLook = false;
  /** Whether there ever were any. */
  wereSeen = false;
  private readonly addedSinceClaim = new Set<number>();
  private lookedAt = -Infinity;
  private readonly costs = new PollCosts();

  /** Whether a claim has lanes to go through, or a look has lanes to find. */
  get areKnown(): boolean {
    return this.lanes.size > 0 || this.lookIn === 0;
  }

  /**
   * In how many ms lanes are to be looked for; Infinity where there are no jobs. In between the turns go round the lanes
   * that are known.
   */
  get lookIn(): number {
    if (!this.known && this.lanes.size === 0) {
      return Infinity;
    }
    if (!this.isWhole && this.lanes.size === 0) {
      return 0;
    }
    return Math.max(0, this.lookedAt + this.costs.wait() - performance.now());
  }

  /**
   * The lanes whose turn comes; undefined where those of tenants have no jobs.
   *
   * @param plain where the jobs without a tenant begin, which take turns as one; undefined where there are none.
   */
  next(plain: SortKey | undefined): LaneLook | undefined {
    if (this.lanes.size === 0) {
      return undefined;
    }
    const lanes: LaneStart[] = [...this.lanes].map(([lane, from]) => ({ lane, from }));
    const steps = ({ lane }: LaneStart) => stepsTo(lane, this.last);
    const furthest = Math.max(...lanes.map(steps));
    const others = plain && { lane: 0, from: plain };
    if (others && (this.isWhole || steps(others) < furthest)) {
      lanes.push(others);
    }
    return { lanes: lanes.sort((a, b) => steps(a) - steps(b)), isWhole: this.isWhole };
  }

  /** This process has enqueued some. */
  add(lanes: readonly number[]): void {
    for (const lane of lanes) {
      this.addedSinceLook = true;
      this.wereSeen = true;
      this.addedSinceClaim.add(lane);
      this.lanes.set(lane, this.lanes.get(lane) ?? LANE_HEAD);
    }
  }

  /** A look is being sent, for any or for their lanes. What is enqueued from now on it may or may not see. */
  beginLook(): void {
    this.addedSinceLook = false;
  }

  /** A look has seen whether there are any. */
  see(hasTenants: boolean): void {
    this.known = hasTenants;
    this.wereSeen ||= hasTenants;
    if (!hasTenants && !this.addedSinceLook) {
      this.lanes.clear();
    }
  }

  /** Looks for the next lanes where that is due. */
  async lookIfDue(engine: Engine, queue: string): Promise<void> {
    if (this.lookIn === 0) {
      this.beginLook();
      const since = performance.now();
      const look = await engine.execute((dialect) => lookForLanes(dialect, queue, this.last, LANES_PER_LOOK), {
        purpose: 'look for jobs of tenants',
        readOnly: true,
      });
      this.seeLanes(look, since);
    }
  }

  private seeLanes({ lanes, isWhole }: LaneLook, since: number): void {
    this.lookedAt = performance.now();
    this.costs.add(this.lookedAt - since);
    const added = this.addedSinceLook ? [...this.addedSinceClaim] : [];
    this.known = lanes.length > 0;
    this.isWhole = isWhole;
    this.lanes.clear();
    lanes.forEach(({ lane, from }) => this.lanes.set(lane, from));
    this.add(added);
  }

  /** A claim is being sent. What is enqueued from now on it may or may not bring. */
  beginClaim(): void {
    this.addedSinceClaim.clear();
  }

  claimed({ last = this.last, left, bringsNoMore, isFull }: TurnsTaken): void {
    this.last = last;
    for (const [lane, from] of left) {
      if (lane === 0) {
        continue;
      }
      if (this.addedSinceClaim.has(lane)) {
        this.lanes.set(lane, from ?? LANE_HEAD);
      } else if (from && this.isWhole) {
        this.lanes.set(lane, from);
      } else {
        this.lanes.delete(lane);
      }
    }
    this.known = !bringsNoMore || isFull;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.known = false;
    this.lanes.clear();
  }
}

import type { Engine } from '../../engine/engine.js';
import type { RoundRobinProgress } from '../../store/claim/claim-strategy.js';
import { LANE_HEAD, type SortKey } from '../../store/base/order/sort-key.js';
import { type TenantLanes, type TenantLane, findTenantLanes, distanceTo } from '../../store/claim/tenant-lanes.js';
import { PollCosts } from './poll-schedule.js';

/** How many lanes one poll reads. */
const LANES_PER_POLL = 200;

/**
 * What a claimer believes about the ready jobs of a queue's tenants: which lanes have some, from which sort key on, and
 * which lane was served last. The first two only save time, see `Backlog`; the last makes the round robin fair.
 *
 * Processes do not share it. Each starts at a random lane, so each tenant is served in every round of every process.
 */
export class TenantRoundRobin {
  private lastLane = Math.floor(Math.random() * 2 ** 32);
  private readonly lanes = new Map<number, SortKey>();
  /** Whether the known lanes are all that have jobs. */
  private hasAllLanes = false;
  /** Whether a poll or claim has seen jobs of tenants. Matters only while no lane is known: then lanes are polled. */
  private hasJobs = false;
  private addedSincePoll = false;
  /** Whether there ever were jobs of tenants. */
  hasSeenTenants = false;
  private readonly addedSinceClaim = new Set<number>();
  private polledAt = -Infinity;
  private readonly costs = new PollCosts();

  /** Whether a claim can serve known lanes, or a poll can find lanes. */
  get isClaimable(): boolean {
    return this.lanes.size > 0 || this.pollIn === 0;
  }

  /**
   * In how many ms the lanes are polled; Infinity where there are no jobs. Until then the round robin serves the known
   * lanes.
   */
  get pollIn(): number {
    if (!this.hasJobs && this.lanes.size === 0) {
      return Infinity;
    }
    if (!this.hasAllLanes && this.lanes.size === 0) {
      return 0;
    }
    return Math.max(0, this.polledAt + this.costs.minimumInterval() - performance.now());
  }

  /**
   * The lanes to serve next, in order; undefined where no tenant has jobs.
   *
   * @param plain the sort key from which on there are jobs without a tenant, which count as one tenant; undefined where
   *   there are none.
   */
  nextLanes(plain: SortKey | undefined): TenantLanes | undefined {
    if (this.lanes.size === 0) {
      return undefined;
    }
    const lanes: TenantLane[] = [...this.lanes].map(([lane, from]) => ({ lane, from }));
    const steps = ({ lane }: TenantLane) => distanceTo(lane, this.lastLane);
    const furthest = Math.max(...lanes.map(steps));
    const others = plain && { lane: 0, from: plain };
    if (others && (this.hasAllLanes || steps(others) < furthest)) {
      lanes.push(others);
    }
    return { lanes: lanes.sort((a, b) => steps(a) - steps(b)), areAll: this.hasAllLanes };
  }

  /** This process has enqueued jobs in these lanes. */
  addLanes(lanes: readonly number[]): void {
    for (const lane of lanes) {
      this.addedSincePoll = true;
      this.hasSeenTenants = true;
      this.addedSinceClaim.add(lane);
      this.lanes.set(lane, this.lanes.get(lane) ?? LANE_HEAD);
    }
  }

  /** A poll is about to be sent. It may or may not see what is enqueued from now on. */
  beginPoll(): void {
    this.addedSincePoll = false;
  }

  /** A poll has seen whether there are jobs of tenants. */
  applyPoll(hasTenants: boolean): void {
    this.hasJobs = hasTenants;
    this.hasSeenTenants ||= hasTenants;
    if (!hasTenants && !this.addedSincePoll) {
      this.lanes.clear();
    }
  }

  /** Polls for the next lanes where that is due. */
  async pollIfDue(engine: Engine, queue: string): Promise<void> {
    if (this.pollIn === 0) {
      this.beginPoll();
      const since = performance.now();
      const look = await engine.execute((dialect) => findTenantLanes(dialect, queue, this.lastLane, LANES_PER_POLL), {
        purpose: 'look for jobs of tenants',
        readOnly: true,
      });
      this.applyLanes(look, since);
    }
  }

  private applyLanes({ lanes, areAll }: TenantLanes, since: number): void {
    this.polledAt = performance.now();
    this.costs.addCost(this.polledAt - since);
    const added = this.addedSincePoll ? [...this.addedSinceClaim] : [];
    this.hasJobs = lanes.length > 0;
    this.hasAllLanes = areAll;
    this.lanes.clear();
    lanes.forEach(({ lane, from }) => this.lanes.set(lane, from));
    this.addLanes(added);
  }

  /** A claim is about to be sent. It may or may not take what is enqueued from now on. */
  beginClaim(): void {
    this.addedSinceClaim.clear();
  }

  applyClaim({ lastLane = this.lastLane, visited, isExhausted, isFull }: RoundRobinProgress): void {
    this.lastLane = lastLane;
    for (const [lane, from] of visited) {
      if (lane === 0) {
        continue;
      }
      if (this.addedSinceClaim.has(lane)) {
        this.lanes.set(lane, from ?? LANE_HEAD);
      } else if (from && this.hasAllLanes) {
        this.lanes.set(lane, from);
      } else {
        this.lanes.delete(lane);
      }
    }
    this.hasJobs = !isExhausted || isFull;
  }

  /** Forgets everything: a statement failed. */
  reset(): void {
    this.hasJobs = false;
    this.lanes.clear();
  }
}

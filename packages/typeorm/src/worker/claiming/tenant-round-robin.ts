import type { Engine } from '../../engine/engine.js';
import type { RoundRobinProgress } from '../../store/claim/claim-strategy.js';
import { LANE_HEAD, type SortKey } from '../../store/base/order/sort-key.js';
import { LAST_LANE } from '../../store/base/order/tenant-lane.js';
import {
  type TenantLane,
  type TenantLanes,
  type TenantLanesFound,
  distanceTo,
  findTenantLanes,
} from '../../store/claim/tenant-lanes.js';
import { LimitedLanes, LimitedPauses } from './limited-lanes.js';
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
  /** The lanes of tenants at their rate. */
  private readonly limited = new LimitedLanes();
  private readonly pauses = new LimitedPauses();

  /** In how many ms a claim can serve known lanes, or a poll can find lanes; Infinity where there are no jobs. */
  get claimableIn(): number {
    return this.lanes.size > 0 ? 0 : Math.min(this.pollIn, this.limited.freeIn);
  }

  get isClaimable(): boolean {
    return this.claimableIn === 0;
  }

  /** Whether all known lanes are of tenants at their rate. */
  get areLimited(): boolean {
    return this.lanes.size === 0 && !this.limited.isEmpty;
  }

  /**
   * In how many ms the lanes are polled; Infinity where there are no jobs. Until then the round robin serves the known
   * lanes.
   */
  get pollIn(): number {
    if (!this.hasJobs && this.lanes.size === 0) {
      return Infinity;
    }
    const pause = this.lanes.size === 0 ? this.pauses.current : 0;
    if (!this.hasAllLanes && this.lanes.size === 0 && pause === 0) {
      return 0;
    }
    const interval = Math.max(this.costs.minimumInterval(), pause);
    return Math.max(0, this.polledAt + interval - performance.now());
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
    // Not with Math.max: there may be too many for the arguments of a call.
    const furthest = lanes.reduce((most, lane) => Math.max(most, steps(lane)), 0);
    const others = plain && { lane: 0, from: plain };
    if (others && (this.hasAllLanes || steps(others) < furthest)) {
      lanes.push(others);
    }
    return { lanes: lanes.sort((a, b) => steps(a) - steps(b)), areAll: this.hasAllLanes };
  }

  /**
   * This process has enqueued jobs in these lanes.
   *
   * @returns whether there can be jobs to claim now.
   */
  addLanes(lanes: readonly number[]): boolean {
    const free = lanes.filter((lane) => !this.limited.has(lane));
    for (const lane of free) {
      this.addedSincePoll = true;
      this.hasSeenTenants = true;
      this.addedSinceClaim.add(lane);
      this.lanes.set(lane, this.lanes.get(lane) ?? LANE_HEAD);
    }
    return free.length > 0;
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
      this.limited.clear();
    }
  }

  /**
   * Polls for the next lanes where that is due.
   *
   * @param isLimited whether the queue has limits.
   */
  async pollIfDue(engine: Engine, queue: string, isLimited: boolean): Promise<void> {
    const free = this.limited.takeFree();
    this.addFree(free);
    if (this.pollIn === 0) {
      this.beginPoll();
      const since = performance.now();
      const found = await engine.execute(
        (dialect) => findTenantLanes(dialect, queue, this.lastLane, LANES_PER_POLL, isLimited),
        { purpose: 'look for jobs of tenants', readOnly: true },
      );
      this.applyLanes(found, since);
      if (!found.areAll) {
        this.addFree(free);
      }
    }
  }

  private addFree(lanes: readonly TenantLane[]): void {
    lanes.forEach(({ lane, from }) => this.lanes.set(lane, from));
  }

  private applyLanes(found: TenantLanesFound, since: number): void {
    this.polledAt = performance.now();
    this.costs.addCost(this.polledAt - since);
    const added = this.addedSincePoll ? [...this.addedSinceClaim] : [];
    this.hasJobs = found.lanes.length > 0 || found.limited.length > 0;
    this.hasAllLanes = found.areAll;
    this.lanes.clear();
    if (found.areAll) {
      this.limited.clear();
    }
    for (const { lane, from } of found.lanes) {
      this.lanes.set(lane, from);
      this.limited.delete(lane);
    }
    found.limited.forEach((lane) => this.limited.add(lane, lane.freeIn));
    if (found.lanes.length > 0 || found.limited.length === 0) {
      this.pauses.end();
    } else {
      const { areAll, lastLane = this.lastLane } = found;
      this.pauses.onOnlyLimited(areAll ? LAST_LANE : distanceTo(lastLane, this.lastLane));
      // The next poll goes on after these.
      this.lastLane = lastLane;
    }
    this.addLanes(added);
  }

  /** A claim is about to be sent. It may or may not take what is enqueued from now on. */
  beginClaim(): void {
    this.addedSinceClaim.clear();
  }

  applyClaim({ lastLane = this.lastLane, visited, limited, isExhausted, isFull }: RoundRobinProgress): void {
    this.lastLane = lastLane;
    for (const [lane, from] of visited) {
      if (lane === 0) {
        continue;
      }
      const freeIn = limited.get(lane);
      if (from && freeIn !== undefined) {
        this.lanes.delete(lane);
        this.limited.add({ lane, from }, freeIn);
      } else if (this.addedSinceClaim.has(lane)) {
        this.lanes.set(lane, from ?? LANE_HEAD);
      } else if (from && this.hasAllLanes) {
        this.lanes.set(lane, from);
      } else {
        this.lanes.delete(lane);
      }
    }
    this.hasJobs = !isExhausted || isFull || !this.limited.isEmpty;
  }

  /** Forgets everything: a statement failed. */
  reset(): void {
    this.hasJobs = false;
    this.lanes.clear();
    this.limited.clear();
    this.pauses.end();
  }
}

import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { type SortKey, sortKeyAfter } from '../base/order/sort-key.js';
import type { TenantCapacity, TenantLimit } from './tenant-capacity.js';
import { type TenantJob, type TenantLane, type TenantLanes, readLaneHeads } from './tenant-lanes.js';

/** The next jobs of a lane. */
interface LaneHead {
  readonly lane: number;
  /** Whether its tenant is at a limit, so that perhaps no job can be claimed. */
  readonly isFull: boolean;
  /** How many jobs were read at most. */
  readonly limit: number;
  readonly jobs: TenantJob[];
  /** How many of the jobs were chosen or are of a tenant at its limit. */
  passed: number;
  /** Whether jobs of tenants at a limit were passed over. */
  hasFull: boolean;
}

/** How many lanes of tenants at their limit are read, and how many jobs of each: another tenant may share the lane. */
const MOST_FULL_LANES = 20;
const JOBS_OF_FULL_LANE = 20;

/**
 * Chooses the next ready jobs of some lanes: one job of each lane before the second of any. Reads only, locks nothing.
 */
export class RoundRobinOrder {
  /** The lanes it has read, and the sort key from which there may be more jobs; undefined where there are none. */
  readonly visited = new Map<number, SortKey | undefined>();
  /** Whether jobs wait until a job of their tenant ends. */
  hasFull = false;
  /** Lanes that were not read yet. */
  private readonly next: TenantLane[];
  /** Lanes that were read and may have more jobs. */
  private open: TenantLane[] = [];
  /** Open lanes whose chosen jobs were locked or taken. They come first. */
  private missed: TenantLane[] = [];
  private fullLanesRead = 0;

  constructor(
    private readonly queue: string,
    private readonly lanes: TenantLanes,
    private readonly capacity: TenantCapacity,
  ) {
    this.next = [...lanes.lanes];
  }

  /**
   * Whether there is no other job to choose. If there are lanes beyond the given ones, they have their first turn, in
   * the next claim, before any of these has its second.
   */
  get isOver(): boolean {
    const hasOthers = this.next.length > 0 || (this.open.length > 0 && this.lanes.areAll);
    return this.missed.length === 0 && !hasOthers;
  }

  /**
   * Continues the lanes whose chosen jobs were locked or taken before other lanes have another turn. Otherwise the
   * other lanes would take all capacity in every claim, and no claim would get past jobs that stay locked.
   */
  continueLanes(lanes: ReadonlySet<number>): void {
    this.missed.push(...this.open.filter(({ lane }) => lanes.has(lane)));
    this.open = this.open.filter(({ lane }) => !lanes.has(lane));
  }

  /** Whether every lane has had its turn. */
  private get isLastRound(): boolean {
    return this.next.length === 0 && this.lanes.areAll;
  }

  /** Chooses the next jobs and acquires their capacity. Returns fewer than wanted only when there are no more. */
  *choose(dialect: Dialect, wanted: number): Operation<TenantJob[]> {
    const chosen: TenantJob[] = [];
    while (chosen.length < wanted && !this.isOver) {
      const heads = yield* this.readHeads(dialect, wanted - chosen.length);
      chosen.push(...this.chooseAmong(heads, wanted - chosen.length));
      heads.forEach((head) => this.leave(head));
    }
    return chosen;
  }

  private *readHeads(dialect: Dialect, wanted: number): Operation<LaneHead[]> {
    const full = this.capacity.fullLanes;
    const hasMissed = this.missed.length > 0;
    const lanes = hasMissed ? this.missed.splice(0, wanted) : this.takeNext(wanted, full);
    if (lanes.length === 0) {
      return [];
    }
    const share = hasMissed || this.isLastRound ? Math.ceil(wanted / lanes.length) : 1;
    const pages = lanes.map((lane) => {
      const isFull = full.has(lane.lane);
      return { ...lane, isFull, limit: isFull ? JOBS_OF_FULL_LANE : share };
    });
    const heads = new Map(
      pages.map(({ lane, isFull, limit }): [number, LaneHead] => {
        return [lane, { lane, isFull, limit, jobs: [], passed: 0, hasFull: false }];
      }),
    );
    for (const job of yield* readLaneHeads(dialect, this.queue, pages)) {
      heads.get(job.lane)?.jobs.push(job);
    }
    return [...heads.values()];
  }

  /** The lanes whose turn it is: new ones, and after all had one turn, those that may have more jobs. */
  private takeNext(wanted: number, full: ReadonlyMap<number, TenantLimit>): TenantLane[] {
    const taken: TenantLane[] = [];
    let rest = wanted;
    while (rest > 0 && this.next.length > 0) {
      const lane = this.next.shift() as TenantLane;
      const isFull = full.has(lane.lane);
      rest -= isFull ? 0 : 1;
      if (!isFull || this.fullLanesRead++ < MOST_FULL_LANES) {
        taken.push(lane);
      } else {
        this.visited.set(lane.lane, lane.from);
        this.hasFull ||= full.get(lane.lane) === 'concurrency';
      }
    }
    return this.isLastRound ? [...taken, ...this.open.splice(0, rest)] : taken;
  }

  /** In rounds: the first job of each lane, then the second of each. */
  private chooseAmong(heads: readonly LaneHead[], wanted: number): TenantJob[] {
    const chosen: TenantJob[] = [];
    for (let round = 0; heads.some(({ jobs }) => round < jobs.length); round++) {
      for (const head of heads) {
        const job = head.jobs[round];
        if (!job || chosen.length === wanted) {
          continue;
        }
        head.passed++;
        const limit = this.capacity.limitOf(job.tenant);
        if (limit) {
          head.hasFull = true;
          this.hasFull ||= limit === 'concurrency';
        } else {
          this.capacity.acquire(job.tenant);
          chosen.push(job);
        }
      }
    }
    return chosen;
  }

  /** A lane with a tenant at its limit is not continued in this claim: other tenants rarely wait behind that one. */
  private leave({ lane, isFull, hasFull, limit, jobs, passed }: LaneHead): void {
    const [first] = jobs;
    const unseen = jobs[passed];
    const last = jobs.at(-1);
    if (hasFull) {
      this.visited.set(lane, first?.sortKey);
      return;
    }
    const from = unseen ? unseen.sortKey : last && jobs.length === limit ? sortKeyAfter(last.sortKey) : undefined;
    this.visited.set(lane, from);
    if (from && !isFull) {
      this.open.push({ lane, from });
    }
  }
}

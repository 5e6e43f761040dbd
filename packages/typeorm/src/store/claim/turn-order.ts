import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { MOST_IDS } from '../in-parts.js';
import { LANE_HEAD, type Place, behind } from '../place.js';
import { LaneRing, type WaitingJob, readHeads } from '../tenant-lanes.js';
import type { ClaimRequest } from './claim-strategy.js';
import type { TenantRoom } from './tenant-room.js';

/** A lane whose turn it is, and where its next job may stand. */
interface Visit {
  readonly lane: number;
  readonly from: Place;
}

/** The next jobs of a lane. */
interface Head {
  readonly lane: number;
  /** Whether nothing may come of it: its tenant has no room. */
  readonly isFull: boolean;
  /** How many were read for at most. */
  readonly limit: number;
  readonly jobs: WaitingJob[];
  /** How many of them were chosen, or have no room. */
  passed: number;
  hasFull: boolean;
}

/** How many lanes of tenants without room are looked into at most, and how far: another tenant may stand in one. */
const MOST_FULL_LANES = 20;
const DEPTH_OF_FULL_LANE = 20;

/**
 * The order in which the ready jobs of a queue's tenants have their turns: one job of each tenant before the second of
 * any. The jobs without a tenant have turns as one of them. The next claim goes on where this one has ended, so the order
 * is the same whether claims take one job or a hundred. Reads only, locks nothing.
 */
export class TurnOrder {
  private readonly ring: LaneRing;
  /** Lanes that have not had their turn yet. */
  private readonly next: number[] = [];
  /** Lanes that have had their turn and may have more jobs. */
  private readonly open: Visit[] = [];
  private fullLanesSeen = 0;
  private isFull = false;

  /** @param start the lane that had its turn last. */
  constructor(
    private readonly request: Pick<ClaimRequest, 'queue' | 'from'>,
    start: number,
    private readonly room: TenantRoom,
  ) {
    this.ring = new LaneRing(request.queue, start);
  }

  /** Whether there is no other job to be had. */
  get isOver(): boolean {
    return this.isLastRound && this.open.length === 0;
  }

  /** Whether jobs wait for room for their tenant. */
  get hasFull(): boolean {
    return this.isFull;
  }

  /** Whether every lane has had its turn. */
  private get isLastRound(): boolean {
    return this.ring.isOver && this.next.length === 0;
  }

  /** The next jobs; fewer than wanted only when there are no more. Their room is taken. */
  *choose(dialect: Dialect, wanted: number): Operation<WaitingJob[]> {
    const chosen: WaitingJob[] = [];
    while (chosen.length < wanted && !this.isOver) {
      const heads = yield* this.readHeads(dialect, wanted - chosen.length);
      chosen.push(...this.chooseAmong(heads, wanted - chosen.length));
      heads.forEach((head) => this.leave(head));
    }
    return chosen;
  }

  private *readHeads(dialect: Dialect, wanted: number): Operation<Head[]> {
    const full = this.room.fullLanes;
    const visits = yield* this.visit(dialect, wanted, full);
    if (visits.length === 0) {
      return [];
    }
    const share = this.isLastRound ? Math.ceil(wanted / visits.length) : 1;
    const parts = visits.map((visit) => {
      const isFull = full.has(visit.lane);
      return { ...visit, isFull, limit: isFull ? DEPTH_OF_FULL_LANE : share };
    });
    const heads = new Map(
      parts.map(({ lane, isFull, limit }): [number, Head] => {
        return [lane, { lane, isFull, limit, jobs: [], passed: 0, hasFull: false }];
      }),
    );
    for (const job of yield* readHeads(dialect, this.request.queue, parts)) {
      heads.get(job.lane)?.jobs.push(job);
    }
    return [...heads.values()];
  }

  /** The lanes whose turn it is: new ones, and when all have had one, those that may have more jobs. */
  private *visit(dialect: Dialect, wanted: number, full: ReadonlySet<number>): Operation<Visit[]> {
    const missing = wanted + full.size - this.next.length;
    if (missing > 0) {
      this.next.push(...(yield* this.ring.next(dialect, Math.min(missing, MOST_IDS))));
    }
    const visits: Visit[] = [];
    let left = wanted;
    while (left > 0 && this.next.length > 0) {
      const lane = this.next.shift() as number;
      const isFull = full.has(lane);
      left -= isFull ? 0 : 1;
      if (!isFull || this.fullLanesSeen++ < MOST_FULL_LANES) {
        // The low-water mark is that of the jobs without a tenant.
        visits.push({ lane, from: lane === 0 ? this.request.from : LANE_HEAD });
      } else {
        this.isFull = true;
      }
    }
    return this.isLastRound ? [...visits, ...this.open.splice(0, left)] : visits;
  }

  /** In rounds: the first job of each, then the second of each. */
  private chooseAmong(heads: readonly Head[], wanted: number): WaitingJob[] {
    const chosen: WaitingJob[] = [];
    for (let round = 0; heads.some(({ jobs }) => round < jobs.length); round++) {
      for (const head of heads) {
        const job = head.jobs[round];
        if (!job || chosen.length === wanted) {
          continue;
        }
        head.passed++;
        if (this.room.isFull(job.tenant)) {
          head.hasFull = true;
        } else {
          this.room.take(job.tenant);
          chosen.push(job);
        }
      }
    }
    return chosen;
  }

  /** Where a tenant without room stands in a lane, nobody waits behind it as a rule: this claim does not go on there. */
  private leave({ lane, isFull, hasFull, limit, jobs, passed }: Head): void {
    const unseen = jobs[passed];
    const last = jobs.at(-1);
    if (hasFull) {
      this.isFull = true;
    } else if (unseen) {
      this.open.push({ lane, from: unseen.place });
    } else if (last && jobs.length === limit && !isFull) {
      this.open.push({ lane, from: behind(last.place) });
    }
  }
}

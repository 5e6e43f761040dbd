import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { type SortKey, sortKeyAfter } from '../base/sort-key.js';
import { type LaneLook, type LaneStart, type WaitingJob, readHeads } from './tenant-lanes.js';
import type { TenantCapacity } from './tenant-capacity.js';

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
 * The order in which the ready jobs of some lanes have their turns: one job of each before the second of any. Reads only,
 * locks nothing.
 */
export class RoundRobinOrder {
  /** The lanes it has come by, and the place from which on there may be more jobs; undefined where there are none. */
  readonly left = new Map<number, SortKey | undefined>();
  /** Whether jobs wait for room for their tenant. */
  hasFull = false;
  /** Lanes that have not had their turn yet. */
  private readonly next: LaneStart[];
  /** Lanes that have had their turn and may have more jobs. */
  private open: LaneStart[] = [];
  /** Those of them whose turn brought less than was chosen, because others had the jobs. They come before all. */
  private again: LaneStart[] = [];
  private fullLanesSeen = 0;

  constructor(
    private readonly queue: string,
    private readonly look: LaneLook,
    private readonly room: TenantCapacity,
  ) {
    this.next = [...look.lanes];
  }

  /**
   * Whether there is no other job to be had here. Where the lanes of the look are not all there are, those it has left
   * out have their first turn before any of these has its second.
   */
  get isOver(): boolean {
    const hasOthers = this.next.length > 0 || (this.open.length > 0 && this.look.isWhole);
    return this.again.length === 0 && !hasOthers;
  }

  /**
   * Jobs of these lanes were chosen and could not be had. The lanes go on behind them before others have another turn:
   * otherwise those would take all the room in every claim, and nobody would come by jobs that stay locked for long.
   */
  goOn(lanes: ReadonlySet<number>): void {
    this.again.push(...this.open.filter(({ lane }) => lanes.has(lane)));
    this.open = this.open.filter(({ lane }) => !lanes.has(lane));
  }

  /** Whether every lane has had its turn. */
  private get isLastRound(): boolean {
    return this.next.length === 0 && this.look.isWhole;
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
    const isAgain = this.again.length > 0;
    const visits = isAgain ? this.again.splice(0, wanted) : this.visit(wanted, full);
    if (visits.length === 0) {
      return [];
    }
    const share = isAgain || this.isLastRound ? Math.ceil(wanted / visits.length) : 1;
    const parts = visits.map((visit) => {
      const isFull = full.has(visit.lane);
      return { ...visit, isFull, limit: isFull ? DEPTH_OF_FULL_LANE : share };
    });
    const heads = new Map(
      parts.map(({ lane, isFull, limit }): [number, Head] => {
        return [lane, { lane, isFull, limit, jobs: [], passed: 0, hasFull: false }];
      }),
    );
    for (const job of yield* readHeads(dialect, this.queue, parts)) {
      heads.get(job.lane)?.jobs.push(job);
    }
    return [...heads.values()];
  }

  /** The lanes whose turn it is: new ones, and when all have had one, those that may have more jobs. */
  private visit(wanted: number, full: ReadonlySet<number>): LaneStart[] {
    const visits: LaneStart[] = [];
    let left = wanted;
    while (left > 0 && this.next.length > 0) {
      const start = this.next.shift() as LaneStart;
      const isFull = full.has(start.lane);
      left -= isFull ? 0 : 1;
      if (!isFull || this.fullLanesSeen++ < MOST_FULL_LANES) {
        visits.push(start);
      } else {
        this.left.set(start.lane, start.from);
        this.hasFull = true;
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
    const [first] = jobs;
    const unseen = jobs[passed];
    const last = jobs.at(-1);
    if (hasFull) {
      this.hasFull = true;
      this.left.set(lane, first?.place);
      return;
    }
    const from = unseen ? unseen.place : last && jobs.length === limit ? sortKeyAfter(last.place) : undefined;
    this.left.set(lane, from);
    if (from && !isFull) {
      this.open.push({ lane, from });
    }
  }
}

import type { SortKey } from '../../store/base/order/sort-key.js';
import { LAST_LANE } from '../../store/base/order/tenant-lane.js';
import type { TenantLane } from '../../store/claim/tenant-lanes.js';

/** How many lanes are remembered. Those beyond are found again by polls. */
const MOST_LANES = 20_000;

/**
 * Lanes of tenants at their rate, as polls and claims have seen them. Only saves time: claims decide, and polls go on
 * to read these lanes.
 */
export class LimitedLanes {
  private readonly lanes = new Map<number, { readonly from: SortKey; readonly freeAt: number }>();
  /** No lane is free before. */
  private earliest = Infinity;

  get isEmpty(): boolean {
    return this.lanes.size === 0;
  }

  /** In how many ms the first lane may be free; Infinity where there is none. */
  get freeIn(): number {
    return Math.max(0, this.earliest - performance.now());
  }

  has(lane: number): boolean {
    return this.lanes.has(lane);
  }

  add({ lane, from }: TenantLane, freeIn: number): void {
    if (this.lanes.size < MOST_LANES || this.lanes.has(lane)) {
      const freeAt = performance.now() + freeIn;
      this.lanes.set(lane, { from, freeAt });
      this.earliest = Math.min(this.earliest, freeAt);
    }
  }

  delete(lane: number): void {
    this.lanes.delete(lane);
  }

  /** Removes and returns the lanes that are free. */
  takeFree(): TenantLane[] {
    const free: TenantLane[] = [];
    if (this.freeIn > 0) {
      return free;
    }
    const now = performance.now();
    this.earliest = Infinity;
    for (const [lane, { from, freeAt }] of this.lanes) {
      if (freeAt <= now) {
        free.push({ lane, from });
        this.lanes.delete(lane);
      } else {
        this.earliest = Math.min(this.earliest, freeAt);
      }
    }
    return free;
  }

  clear(): void {
    this.lanes.clear();
    this.earliest = Infinity;
  }
}

/** The time between two polls of the next lanes, in ms. */
const INTERVAL = 20;
/** The time before all lanes are read again, in ms: the first and the longest. Each is twice the last one. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 750;

/** The pauses between polls that find only tenants at their rate. */
export class LimitedPauses {
  /** In ms; 0 while polls find other tenants. */
  current = 0;
  private longest = 0;
  /** How many numbers of lanes were read since the last long pause. */
  private numbersRead = 0;

  /** A poll has found other tenants, or no tenant. */
  end(): void {
    this.current = 0;
    this.longest = 0;
    this.numbersRead = 0;
  }

  /** @param numbers how many numbers of lanes the poll has read. */
  onOnlyLimited(numbers: number): void {
    this.numbersRead += numbers;
    if (this.numbersRead < LAST_LANE) {
      this.current = INTERVAL;
    } else {
      this.numbersRead = 0;
      this.longest = Math.min(this.longest * 2 || FIRST_PAUSE, LONGEST_PAUSE);
      this.current = this.longest;
    }
  }
}

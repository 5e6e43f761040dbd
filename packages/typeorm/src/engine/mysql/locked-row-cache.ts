import type { LockedRowCache } from '../dialect.js';
import { isLockWaitTimeout } from './mysql-errors.js';

/** How long a row is believed to be held without asking for it again, in ms: at first, and at most. Longer than a call waits. */
const FIRST_BELIEF = 4_000;
const LONGEST_BELIEF = 32_000;

/**
 * Of one worker: another learns it by a wait of its own. A row that is found held again and again is asked for more and
 * more rarely, so that many of them do not take up all of a worker's time.
 */
export class MysqlLockedRowCache implements LockedRowCache {
  private readonly rows = new Map<string, { readonly until: number; readonly belief: number }>();
  private isClosed = false;

  note(row: string): void {
    const now = performance.now();
    for (const [other, { until }] of this.rows) {
      if (until + LONGEST_BELIEF < now) {
        this.rows.delete(other);
      }
    }
    const belief = Math.min((this.rows.get(row)?.belief ?? FIRST_BELIEF / 2) * 2, LONGEST_BELIEF);
    this.rows.set(row, { until: now + belief, belief });
  }

  has(row: string): boolean {
    const known = this.rows.get(row);
    return !this.isClosed && known !== undefined && known.until > performance.now();
  }

  close(): void {
    this.isClosed = true;
  }

  isWait(error: unknown): boolean {
    return isLockWaitTimeout(error);
  }
}

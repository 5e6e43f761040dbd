import type { HeldRows } from '../dialect.js';
import { isLockWaitTimeout } from './mysql-errors.js';

/** How long a row is believed to be held without asking for it again, in ms. */
const BELIEF = 5_000;

/** Of one worker, and not of the others: each learns it by a wait of its own. */
export class MysqlHeldRows implements HeldRows {
  private readonly until = new Map<string, number>();

  note(row: string): void {
    const now = performance.now();
    // In the order in which they end.
    for (const [other, until] of this.until) {
      if (until > now) {
        break;
      }
      this.until.delete(other);
    }
    this.until.delete(row);
    this.until.set(row, now + BELIEF);
  }

  has(row: string): boolean {
    return (this.until.get(row) ?? 0) > performance.now();
  }

  isWait(error: unknown): boolean {
    return isLockWaitTimeout(error);
  }
}

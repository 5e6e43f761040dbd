import type { LockedRowCache } from '../dialect.js';

/** How long a row counts as locked without another try, in ms: at first, and at most. Longer than a call waits. */
const FIRST_TTL = 4_000;
const LONGEST_TTL = 32_000;

/** The locked rows that one worker knows of. A row that is locked again and again is tried less and less often. */
export class MysqlLockedRowCache implements LockedRowCache {
  private readonly rows = new Map<string, { readonly until: number; readonly ttl: number }>();
  private isClosed = false;

  add(row: string): void {
    const now = performance.now();
    for (const [other, { until }] of this.rows) {
      if (until + LONGEST_TTL < now) {
        this.rows.delete(other);
      }
    }
    const ttl = Math.min((this.rows.get(row)?.ttl ?? FIRST_TTL / 2) * 2, LONGEST_TTL);
    this.rows.set(row, { until: now + ttl, ttl });
  }

  has(row: string): boolean {
    const known = this.rows.get(row);
    return !this.isClosed && known !== undefined && known.until > performance.now();
  }

  close(): void {
    this.isClosed = true;
  }
}

import { DuplicateStepError } from '../../errors/index.js';

/** Names waits that have none: `sleep`, `sleep#2`, … */
export class WaitNames {
  private readonly counts = new Map<string, number>();
  private readonly open = new Set<string>();

  /**
   * Returns the next name.
   *
   * @throws DuplicateStepError while another such wait is open: the next attempt could exchange their names.
   */
  next(base: string): string {
    if (this.open.has(base)) {
      throw new DuplicateStepError(base);
    }
    this.open.add(base);
    const count = (this.counts.get(base) ?? 0) + 1;
    this.counts.set(base, count);
    return count === 1 ? base : `${base}#${count}`;
  }

  /** The wait is over. */
  close(base: string): void {
    this.open.delete(base);
  }
}

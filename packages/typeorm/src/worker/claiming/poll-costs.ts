/**
 * How many times what a look costs lies between two of them: looking takes up to a tenth of the time. On a busy machine a
 * look takes a millisecond, so this often decides how soon jobs of other processes are seen.
 */
const FACTOR = 10;
/** The longest wait for the sake of cost, in ms: a job that only a look can find is found within two seconds. */
const LONGEST_WAIT = 1_500;
/** Of how many looks the cheapest counts: a single slow one may be this process's own fault. */
const KEPT = 3;

/** What looks have cost of late, and how far apart that keeps them. */
export class PollCosts {
  private readonly latest: number[] = [];

  /** @param milliseconds what a look has taken. */
  add(milliseconds: number): void {
    this.latest.push(milliseconds);
    if (this.latest.length > KEPT) {
      this.latest.shift();
    }
  }

  /** How long to wait between two looks, in ms: so many times what one costs. 0 before the first. */
  wait(factor = FACTOR): number {
    const cost = this.latest.length === 0 ? 0 : Math.min(...this.latest);
    return Math.min(cost * factor, LONGEST_WAIT);
  }
}

import {
  type SortKey,
  LANE_HEAD,
  compareSortKeys,
  headOfPriority,
  sortKeyOf,
} from '../../store/base/order/sort-key.js';
import type { PollResult } from '../../store/claim/poll-queues.js';

/**
 * What a claimer believes about the ready jobs of a queue: their number, and the low-water mark, the sort key before
 * which there is none.
 *
 * Both only save time. The index keeps an entry for each claimed job until the server purges it, and an open snapshot
 * stops purge. A claim that starts at the mark skips these entries; one that asks for no more jobs than exist does not
 * run into the entries behind the last job. Jobs before the mark come from transactions that commit late, from dead
 * workers, or with a higher priority. The next poll finds them, since polls start at the head. See decision 0004.
 */
export class Backlog {
  private lowWaterMark = LANE_HEAD;
  private count = 0;
  /** How many jobs this process has enqueued since the last poll was sent. */
  private addedSincePoll = 0;
  /** The same since the last claim was sent, and how far they have lowered the mark. */
  private addedSinceClaim = 0;
  private loweredTo: SortKey | undefined;

  /** The sort key to claim from. */
  get from(): SortKey {
    return this.lowWaterMark;
  }

  /** How many jobs to ask for at most; Infinity when there are more than the poll counted. */
  get expected(): number {
    return this.count;
  }

  /** This process has enqueued jobs. One with a higher priority than the recent ones sorts before the mark. */
  addEnqueued(count: number, lowestPriority: number): void {
    this.count += count;
    this.addedSincePoll += count;
    this.addedSinceClaim += count;
    const isBeforeMark = compareSortKeys(headOfPriority(lowestPriority + 1), this.lowWaterMark) <= 0;
    if (isBeforeMark) {
      this.lowWaterMark = headOfPriority(lowestPriority);
      this.loweredTo = smaller(this.lowWaterMark, this.loweredTo);
    }
  }

  /** A poll is about to be sent. It may or may not see what is enqueued from now on. */
  beginPoll(): void {
    this.addedSincePoll = 0;
  }

  /** A poll has counted up to a limit. */
  applyPoll({ ready, first = this.lowWaterMark }: Pick<PollResult, 'ready' | 'first'>, limit: number): void {
    this.count = (ready < limit ? ready : Infinity) + this.addedSincePoll;
    this.lowWaterMark = this.addedSincePoll === 0 ? first : smaller(first, this.lowWaterMark);
  }

  /** A claim is about to be sent. It may or may not take what is enqueued from now on. */
  beginClaim(): void {
    this.addedSinceClaim = 0;
    this.loweredTo = undefined;
  }

  /** A claim that asked for `limit` jobs has taken these, in order. */
  applyClaim(jobs: readonly Parameters<typeof sortKeyOf>[0][], limit: number): void {
    const last = jobs.at(-1);
    if (last) {
      this.lowWaterMark = smaller(sortKeyOf(last), this.loweredTo);
    }
    this.count = jobs.length < limit ? this.addedSinceClaim : this.count - jobs.length;
  }

  /** Forgets everything: a statement failed. */
  reset(): void {
    this.count = 0;
    this.lowWaterMark = LANE_HEAD;
  }
}

function smaller(a: SortKey, b: SortKey | undefined): SortKey {
  return b && compareSortKeys(b, a) < 0 ? b : a;
}

import { type SortKey, LANE_HEAD, compareSortKeys, headOfPriority, sortKeyOf } from '../../store/base/sort-key.js';
import type { PollResult } from '../../store/claim/poll-queues.js';

/**
 * What a claimer believes about the ready jobs of a queue: how many there are, and the low-water mark, the place
 * before which there is none.
 *
 * Both only save time. The index still has an entry for each job that was claimed before, until the server purges it,
 * and while somebody's snapshot is open it purges nothing. A claim that begins at the mark passes over them; one that
 * asks for no more jobs than there are does not run into those behind its lane. Jobs before the mark, from transactions
 * that commit late, from workers that died, or of a higher priority, are seen by the next look, which begins at the
 * head: see `LookSchedule` for how soon that comes.
 */
export class Backlog {
  private mark = LANE_HEAD;
  private known = 0;
  /** How many of them this process has enqueued since the last look was sent. */
  private addedSinceLook = 0;
  /** The same since the last claim was sent, and how far they have lowered the mark. */
  private addedSinceClaim = 0;
  private loweredTo: SortKey | undefined;

  /** The place to claim from. */
  get from(): SortKey {
    return this.mark;
  }

  /** How many jobs to ask for at most; Infinity when there are more than were counted. */
  get expected(): number {
    return this.known;
  }

  /** This process has enqueued jobs. One of a higher priority than those of late stands before the mark. */
  add(count: number, lowestPriority: number): void {
    this.known += count;
    this.addedSinceLook += count;
    this.addedSinceClaim += count;
    const isBeforeMark = compareSortKeys(headOfPriority(lowestPriority + 1), this.mark) <= 0;
    if (isBeforeMark) {
      this.mark = headOfPriority(lowestPriority);
      this.loweredTo = first(this.mark, this.loweredTo);
    }
  }

  /** A look is being sent. What is enqueued from now on it may or may not see. */
  beginLook(): void {
    this.addedSinceLook = 0;
  }

  /** A look has counted up to a limit. */
  see({ ready, first: seen = this.mark }: Pick<PollResult, 'ready' | 'first'>, limit: number): void {
    this.known = (ready < limit ? ready : Infinity) + this.addedSinceLook;
    this.mark = this.addedSinceLook === 0 ? seen : first(seen, this.mark);
  }

  /** A claim is being sent. What is enqueued from now on it may or may not bring. */
  beginClaim(): void {
    this.addedSinceClaim = 0;
    this.loweredTo = undefined;
  }

  /** A claim has brought jobs, in order, where up to a limit were asked for. */
  claimed(jobs: readonly Parameters<typeof sortKeyOf>[0][], limit: number): void {
    const last = jobs.at(-1);
    if (last) {
      this.mark = first(sortKeyOf(last), this.loweredTo);
    }
    this.known = jobs.length < limit ? this.addedSinceClaim : this.known - jobs.length;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.known = 0;
    this.mark = LANE_HEAD;
  }
}

function first(a: SortKey, b: SortKey | undefined): SortKey {
  return b && compareSortKeys(b, a) < 0 ? b : a;
}

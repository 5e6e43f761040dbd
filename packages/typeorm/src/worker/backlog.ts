import { FIRST_POSITION, positionOf } from '../store/lane.js';
import type { Sight } from '../store/look-for-jobs.js';

/** A job as far as its place in the queue goes. */
interface Placed {
  readonly priority: number;
  readonly runAt: number;
}

/**
 * What a claimer believes about the ready jobs of a queue: how many there are, and the low-water mark, the position
 * before which there is none.
 *
 * Both only save time. The index still has an entry for each job that was claimed before, until the server purges it,
 * and while somebody's snapshot is open it purges nothing. A claim that begins at the mark passes over them; one that
 * asks for no more jobs than there are does not run into those behind its lane. Jobs before the mark, from transactions
 * that commit late, from workers that died, or of a higher priority, are seen by the next look, which begins at the
 * head: see `LookSchedule` for how soon that comes.
 */
export class Backlog {
  private mark = FIRST_POSITION;
  private known = 0;
  /** How many of them this process has enqueued since the last look was sent. */
  private addedSinceLook = 0;
  /** The same since the last claim was sent, and how far they have lowered the mark. */
  private addedSinceClaim = 0;
  private loweredTo = Infinity;

  /** The position to claim from. */
  get from(): number {
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
    const isBeforeMark = positionOf({ priority: lowestPriority + 1, runAt: 0 }) <= this.mark;
    if (isBeforeMark) {
      this.mark = positionOf({ priority: lowestPriority, runAt: 0 });
      this.loweredTo = Math.min(this.loweredTo, this.mark);
    }
  }

  /** A look is being sent. What is enqueued from now on it may or may not see. */
  beginLook(): void {
    this.addedSinceLook = 0;
  }

  /** A look has counted up to a limit. */
  see({ ready, first = this.mark }: Pick<Sight, 'ready' | 'first'>, limit: number): void {
    this.known = (ready < limit ? ready : Infinity) + this.addedSinceLook;
    this.mark = this.addedSinceLook === 0 ? first : Math.min(first, this.mark);
  }

  /** A claim is being sent. What is enqueued from now on it may or may not bring. */
  beginClaim(): void {
    this.addedSinceClaim = 0;
    this.loweredTo = Infinity;
  }

  /** A claim has brought jobs, in order, where up to a limit were asked for. */
  claimed(jobs: readonly Placed[], limit: number): void {
    const last = jobs.at(-1);
    if (last) {
      this.mark = Math.min(positionOf(last), this.loweredTo);
    }
    this.known = jobs.length < limit ? this.addedSinceClaim : this.known - jobs.length;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.known = 0;
    this.mark = FIRST_POSITION;
  }
}

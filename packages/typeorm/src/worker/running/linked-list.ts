/** What is in a `LinkedList`: it knows its neighbours. */
export interface Linked<Entry> {
  previous: Entry | undefined;
  next: Entry | undefined;
}

/**
 * Things that come and go by the thousand, in the order in which they came.
 *
 * A Set would do, but for V8: it copies its table every so often, and the one before, dead in the old generation, has all
 * that was in it moved there too, until the next full collection. With a Set of the running jobs a worker that drained
 * 100,000 jobs took 198 MB, with this 123 (MySQL 9.7, Node.js 20, 2026-11-21).
 */
export class LinkedList<Entry extends Linked<Entry>> implements Iterable<Entry> {
  private first: Entry | undefined;
  private last: Entry | undefined;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Adds one that is in no list. */
  add(entry: Entry): void {
    entry.previous = this.last;
    if (this.last) {
      this.last.next = entry;
    } else {
      this.first = entry;
    }
    this.last = entry;
    this.count++;
  }

  /** Removes one that is in this list. */
  remove(entry: Entry): void {
    const { previous, next } = entry;
    if (previous) {
      previous.next = next;
    } else {
      this.first = next;
    }
    if (next) {
      next.previous = previous;
    } else {
      this.last = previous;
    }
    // What is gone must not hold on to what is there.
    entry.previous = undefined;
    entry.next = undefined;
    this.count--;
  }

  /** One that is removed meanwhile may still come, if it was next. */
  *[Symbol.iterator](): Iterator<Entry> {
    for (let entry = this.first; entry;) {
      const { next } = entry;
      yield entry;
      entry = next;
    }
  }
}

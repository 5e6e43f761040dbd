interface Answer {
  readonly seq: number;
  readonly give: () => void;
}

/**
 * Gives the recorded results of one attempt to its handler: one for each turn of the event loop, the smallest number of
 * those that are asked for first. So the branches of a `Promise.race` go on in the order in which their results were
 * recorded, in this attempt and in each later one.
 */
export class AnswerQueue {
  /** In the order of their numbers. */
  private readonly waiting: Answer[] = [];
  /** The numbers of results that are being recorded. */
  private readonly reserved = new Set<number>();
  private isScheduled = false;

  /** @param onGiven called after each answer, in a later turn of the event loop. */
  constructor(private readonly onGiven: () => void) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** A result is being recorded: answers with higher numbers wait for it. */
  reserve(seq: number): void {
    this.reserved.add(seq);
  }

  /** Nothing is given for this number. */
  release(seq: number): void {
    this.reserved.delete(seq);
    this.schedule();
  }

  /** Resolves when it is the turn of this number. */
  give(seq: number): Promise<void> {
    this.reserved.delete(seq);
    return new Promise((resolve) => {
      const behind = this.waiting.findIndex((other) => other.seq > seq);
      this.waiting.splice(behind === -1 ? this.waiting.length : behind, 0, { seq, give: resolve });
      this.schedule();
    });
  }

  private schedule(): void {
    if (!this.isScheduled && this.waiting.length > 0) {
      this.isScheduled = true;
      setImmediate(() => this.giveFirst());
    }
  }

  private giveFirst(): void {
    this.isScheduled = false;
    const [first] = this.waiting;
    if (!first) {
      return;
    }
    for (const seq of this.reserved) {
      if (seq < first.seq) {
        return;
      }
    }
    this.waiting.shift();
    first.give();
    this.schedule();
    this.onGiven();
  }
}

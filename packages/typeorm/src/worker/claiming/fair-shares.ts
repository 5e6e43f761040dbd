/**
 * Shares room between queues by their weights, so that none starves: start-time fair queueing (Goyal, Vin, Cheng 1996).
 *
 * Each queue has a tag: how much it has had, divided by its weight. The one with the lowest is served next. A queue that
 * had nothing to do begins where the others stand now, so it saves nothing up.
 */
export class FairShares<Queue> {
  private readonly ends = new Map<Queue, number>();
  private now = 0;

  constructor(private readonly weightOf: (queue: Queue) => number) {}

  /** Those who ask, the one to be served first in front. */
  order(queues: readonly Queue[]): Queue[] {
    return [...queues].sort((a, b) => this.tagOf(a) - this.tagOf(b));
  }

  /** How much of what there is one of those who ask may take at once: its share, but at least 1. */
  shareOf(queue: Queue, queues: readonly Queue[], room: number): number {
    const all = queues.reduce((sum, each) => sum + this.weightOf(each), 0);
    return Math.max(1, Math.floor((room * this.weightOf(queue)) / all));
  }

  /** A queue was served. */
  served(queue: Queue, jobs: number): void {
    const tag = this.tagOf(queue);
    this.now = tag;
    this.ends.set(queue, tag + jobs / this.weightOf(queue));
  }

  private tagOf(queue: Queue): number {
    return Math.max(this.ends.get(queue) ?? 0, this.now);
  }
}

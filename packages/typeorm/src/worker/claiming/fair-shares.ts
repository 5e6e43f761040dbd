/**
 * Shares the worker's capacity between queues by weight, so that none starves: start-time fair queueing (Goyal, Vin,
 * Cheng 1996).
 *
 * Each queue has a tag: how much it was served, divided by its weight. The queue with the lowest tag is served next. A
 * queue that had no jobs starts at the others' current tag, so it saves nothing up.
 */
export class FairShares<Queue> {
  private readonly tags = new Map<Queue, number>();
  private virtualTime = 0;

  constructor(private readonly weightOf: (queue: Queue) => number) {}

  /** The queues, the one to serve first in front. */
  orderByShare(queues: readonly Queue[]): Queue[] {
    return [...queues].sort((a, b) => this.tagOf(a) - this.tagOf(b));
  }

  /** How much of the free capacity one of these queues may take at once: its share, but at least 1. */
  shareOf(queue: Queue, queues: readonly Queue[], free: number): number {
    const all = queues.reduce((sum, each) => sum + this.weightOf(each), 0);
    return Math.max(1, Math.floor((free * this.weightOf(queue)) / all));
  }

  recordServed(queue: Queue, jobs: number): void {
    const tag = this.tagOf(queue);
    this.virtualTime = tag;
    this.tags.set(queue, tag + jobs / this.weightOf(queue));
  }

  private tagOf(queue: Queue): number {
    return Math.max(this.tags.get(queue) ?? 0, this.virtualTime);
  }
}

interface Sample {
  readonly at: number;
  readonly count: number;
}

/** How long samples are kept, in ms. */
const KEPT = 5 * 60_000;
/** The least time between two samples, and the least time that a trend covers, in ms. */
const INTERVAL = 10_000;
const SHORTEST = 30_000;
const MINUTE = 60_000;

/** Calculates how fast counts change, from those of the last five minutes. */
export class Trends {
  private readonly samples = new Map<string, Sample[]>();

  /** Adds a count, and returns the change per minute; undefined if that is not known yet. */
  add(name: string, count: number, at = performance.now()): number | undefined {
    const known = this.samples.get(name) ?? [];
    const last = known.at(-1);
    if (!last || at - last.at >= INTERVAL) {
      // The last one of the map is the newest, so that those that are no longer counted are the first.
      this.samples.delete(name);
      this.samples.set(name, [...known.filter((sample) => at - sample.at <= KEPT), { at, count }]);
      this.forgetOld(at);
    }
    const first = known.find((sample) => at - sample.at <= KEPT);
    return first && at - first.at >= SHORTEST ? ((count - first.count) * MINUTE) / (at - first.at) : undefined;
  }

  private forgetOld(at: number): void {
    for (const [name, [oldest]] of this.samples) {
      if (oldest && at - oldest.at <= 2 * KEPT) {
        break;
      }
      this.samples.delete(name);
    }
  }
}

/**
 * Random numbers that a seed repeats. The generator is sfc32, in the public domain: 128 bits of state, and even its
 * lowest bits are random, unlike those of `Math.random`, which cannot be seeded at all.
 */
export class Random {
  private a = 0x9e3779b9;
  private b = 0x243f6a88;
  private c = 0xb7e15162;
  private d: number;

  /** @param seed a whole number; only its lowest 32 bits count. */
  constructor(seed: number) {
    this.d = seed | 0;
    // Seeds that differ in one bit are alike at first.
    for (let round = 0; round < 16; round++) {
      this.next();
    }
  }

  /** From 0 up to, but not, 1. */
  next(): number {
    const sum = (this.a + this.b + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Whether something that happens with this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @returns undefined only where there is nothing to pick from. */
  pick<T>(all: readonly T[]): T | undefined {
    return all[this.whole(0, all.length - 1)];
  }

  /** One of those, each as often as its weight says. */
  weighted<T>(all: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.next() * all.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of all) {
      left -= weight;
      if (left < 0) {
        return value;
      }
    }
    return all.at(-1)![1];
  }

  /** A generator for a part of the work, which draws the same however often others draw. */
  fork(): Random {
    return new Random(this.whole(0, 2 ** 32 - 1));
  }
}

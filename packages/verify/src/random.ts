import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

/** Random numbers from a seed. The same seed produces the same numbers. */
export class Random {
  // Unlike the other generators of pure-rand, its first numbers are unrelated for seeds that are close together.
  private readonly generator: ReturnType<typeof mersenne>;

  /** @param seed a whole number. Only its lowest 32 bits are used. */
  constructor(seed: number) {
    this.generator = mersenne(seed | 0);
  }

  /** Returns a number from 0 (included) to 1 (excluded). */
  next(): number {
    return uniformFloat64(this.generator);
  }

  /** Returns a whole number from `least` to `most`, both included. Both must be whole numbers. */
  integer(least: number, most: number): number {
    return uniformInt(this.generator, least, most);
  }

  /** Returns true with the given probability, from 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns one of the values, or undefined if there are none. */
  pick<T>(values: readonly T[]): T | undefined {
    return values.length === 0 ? undefined : values[this.integer(0, values.length - 1)];
  }

  /** Returns the values in a random order. */
  shuffle<T>(values: readonly T[]): T[] {
    return values
      .map((value) => [this.next(), value] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);
  }

  /** Returns one of the values. A value with twice the weight is returned twice as often. */
  pickWeighted<T>(values: readonly (readonly [weight: number, value: T])[]): T {
    let rest = this.next() * values.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of values) {
      rest -= weight;
      if (rest < 0) {
        return value;
      }
    }
    return values.at(-1)![1];
  }

  /** Returns a generator of its own. Its numbers do not depend on how often this one is used later. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32 - 1));
  }
}

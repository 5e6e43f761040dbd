import { type Duration, toMilliseconds } from '../duration.js';
import type { DatabaseClock } from '../engine/clock.js';

/**
 * A clock for tests: the database's clock, put forward at will. Give the same one to every queue of a test, and delays,
 * back-offs and leases pass without waiting.
 */
export class TestingClock implements DatabaseClock {
  private ahead = 0;

  get shift(): number {
    return this.ahead;
  }

  /** Puts the clock forward. */
  advance(by: Duration): void {
    this.ahead += toMilliseconds('by', by);
  }
}
